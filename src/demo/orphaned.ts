/**
 * The program that ends what a killed demo left: its root, and whether the folder stays. It has no reader, so it prints
 * nothing.
 */
import { boardsOf, strike } from './strike.ts';

const [root, keep] = process.argv.slice(2);
if (root !== undefined) void strike(boardsOf(root), keep === '--keep');
