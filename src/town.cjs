#!/usr/bin/env node
/**
 * The `town` command: runs main in a Node that is new enough. That is the one it was called with, else the one that was
 * installed with the package, as a child that has the same terminal, gets the same signals and ends the same way.
 * Loads nothing of the town's before that, and is written so that Node 12 parses it: who has an old Node is told what to
 * do, where any other file of the town would be a SyntaxError. Where the package is not whole, or its Node does not run here,
 * one sentence says so, with exit code 1.
 */
'use strict';
const { spawn, spawnSync } = require('child_process');
const { existsSync } = require('fs');
const { join } = require('path');

/** As `engines` in package.json says. */
const NEEDED = 24;
/** Built files stand where sources do; Node needs its loader of ES modules, which takes its time, for sources alone. */
const IS_BUILT = !existsSync(join(__dirname, 'main.ts'));
const MAIN = IS_BUILT ? './main.cjs' : './main.ts';

/** As a line, without what steers a terminal or turns the direction of text. */
const harmless = (text) => `${text.replace(/[\p{Cc}\p{Cf}]/gu, '')}\n`;

function tell(sentence) {
  process.stderr.write(harmless(`town: ${sentence}`));
  process.exitCode = 1;
}

function tooOld(why) {
  const { execPath, version } = process;
  tell(`Node ${NEEDED} or newer is needed, ${execPath} is ${version}, and ${why}`);
}

/** The Node of package.json's optionalDependencies: npm takes the one for this system and needs no install script for it. */
function ownNode() {
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return null;
  }
}

const broken = (node, how) =>
  tooOld(
    `the one that came with the package does not run here (${node}: ${how}); install Node ${NEEDED} and put it first on PATH`,
  );

function become(node) {
  const child = spawn(node, [join(__dirname, MAIN)].concat(process.argv.slice(2)), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal));
  child.on('error', ({ message }) => broken(node, message));
  child.on('exit', (code, signal) => {
    // A libc that is missing or too old ends it with a code that commands have too: it is asked for what it can always tell.
    if (code !== 0 && spawnSync(node, ['--version']).status !== 0)
      return broken(node, signal === null ? `exit code ${code}` : signal);
    if (signal === null) return process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Of an error in loading, its first line names the file. */
function notWhole(error) {
  const [what] = String(error instanceof Error ? error.message : error).split('\n');
  tell(
    `the package in ${__dirname} is not whole, it is half installed or being replaced (${what}); try again, or install it again: npm install -g townwatch`,
  );
}

function load() {
  try {
    if (IS_BUILT) require(MAIN);
    else import(MAIN).catch(notWhole);
  } catch (error) {
    notWhole(error);
  }
}

if (parseInt(process.versions.node, 10) >= NEEDED) load();
else {
  const node = ownNode();
  if (node === null)
    tooOld(
      `none came with the package; install Node ${NEEDED}, or on Linux \`npm install -g townwatch --include=optional\`, which brings one along`,
    );
  else become(node);
}
