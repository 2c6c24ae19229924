#!/usr/bin/env node
/**
 * The `town` command: runs main in a Node that is new enough. That is the one it was called with, else the one that was
 * installed with the package, as a child that has the same terminal, gets the same signals and ends the same way.
 * Loads nothing of the town's before that, and is written so that Node 12 parses it: who has an old Node is told what to
 * do, where any other file of the town would be a SyntaxError.
 */
'use strict';
const { spawn } = require('child_process');
const { existsSync } = require('fs');
const { join } = require('path');

/** As `engines` in package.json says. */
const NEEDED = 24;
/** Built files stand where sources do; Node needs its loader of ES modules, which takes its time, for sources alone. */
const IS_BUILT = existsSync(join(__dirname, 'main.cjs'));
const MAIN = IS_BUILT ? './main.cjs' : './main.ts';

/** What steers a terminal, or turns the direction of text. */
const STEERING = /[\p{Cc}\p{Cf}]/gu;

function tell(why) {
  const { execPath, version } = process;
  const text =
    `town: Node ${NEEDED} or newer is needed, ${execPath} is ${version}, and ${why}; install Node ${NEEDED}, ` +
    'or on Linux `npm install -g townwatch --include=optional`, which brings one along';
  process.stderr.write(`${text.replace(STEERING, '')}\n`);
  process.exitCode = 1;
}

/** The Node of package.json's optionalDependencies: npm takes the one for this system and needs no install script for it. */
function ownNode() {
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return null;
  }
}

function become(node) {
  const child = spawn(node, [join(__dirname, MAIN)].concat(process.argv.slice(2)), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => tell(`the one that came with the package does not start (${error.message})`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (parseInt(process.versions.node, 10) >= NEEDED) {
  if (IS_BUILT) require(MAIN);
  else import(MAIN);
} else {
  const node = ownNode();
  if (node === null) tell('none came with the package');
  else become(node);
}
