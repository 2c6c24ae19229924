/** Turns with more than one step: lists of what is to be done, plans, one dialog right after another, what goes on beside the talk. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Actor } from './actor.ts';
import type { Keep, Take } from './views.ts';

const SOON_MS = 60_000;
const TASKS_MS = 6_000;

const isAsked = (actor: Actor) => actor.sees(actor.stage.program.blocked, SOON_MS);

async function todos(actor: Actor, keep: Keep): Promise<void> {
  await actor.say('MODE:todos');
  await actor.sees(/Read the parser|to proceed\?/, SOON_MS);
  if (actor.stage.program.blocked.test(actor.screen())) await actor.keys('Enter');
  await pause(TASKS_MS);
  await keep('todos', 'busy', actor.stage.program.busy);
  await actor.type('and then the docs');
  await keep('todos-draft', 'busy_draft', /and then the docs/);
}

async function twice(actor: Actor, keep: Keep): Promise<void> {
  await actor.say('MODE:twice');
  await isAsked(actor);
  await actor.settles(4_000);
  await actor.keys('Enter');
  await actor.sees(/APPROVED-TWICE/, SOON_MS);
  await actor.settles(4_000);
  await keep('second-dialog', 'blocked', /APPROVED-TWICE/);
}

async function background(actor: Actor, keep: Keep): Promise<void> {
  await actor.say('MODE:background');
  await isAsked(actor);
  await actor.settles(4_000);
  await actor.keys('Enter');
  await actor.sees(/All is well/, SOON_MS);
  await actor.settles(6_000);
  await keep('background-task', 'idle', /All is well/);
}

/** How each program is brought into its mode for plans. */
const PLANNING: Readonly<Record<string, readonly string[]>> = {
  claude: ['BTab', 'BTab'],
  codex: ['BTab'],
  qwen: ['BTab', 'BTab', 'BTab', 'BTab'],
  copilot: ['BTab'],
};

async function plan(actor: Actor, keep: Keep): Promise<void> {
  await actor.keys(...(PLANNING[actor.stage.program.id] ?? []));
  await actor.say('MODE:plan');
  await actor.sees(/Split the parser/, SOON_MS);
  await actor.settles(8_000);
  await keep('plan', 'blocked', /Split the parser/);
}

async function served(actor: Actor, keep: Keep): Promise<void> {
  await actor.sees(/MCP|mcp|broken/, SOON_MS);
  await actor.settles(10_000);
  await keep('mcp-broken', 'idle');
}

export const TURNS: Readonly<Record<string, Take>> = {
  // The others keep their list from a model that does not search for its tool.
  todos: { agents: ['gemini', 'opencode'], play: todos },
  twice: { without: ['aider'], play: twice },
  background: { agents: ['gemini', 'qwen'], play: background },
  plan: { agents: Object.keys(PLANNING), play: plan },
  served: { variant: 'served', without: ['aider'], play: served },
};
