/** A town's hands for one test. */
import { untilOver } from '../world/over.ts';
import { yard, type Yard, type YardOptions } from './yard.ts';

export const town = async (options: YardOptions = {}): Promise<Yard> => untilOver(await yard(options));
