/**
 * Texts on which a pattern takes longest, made of the pattern itself: the words that lead up to each repetition, then what is
 * repeated, again and again, then something that fits nowhere. Runs as a thread of its own: V8 optimises no pattern of a
 * thread that has compiled 1 MB of them, and would count other steps.
 */
import { RegExpParser, type AST } from '@eslint-community/regexpp';
import v8 from 'node:v8';
import { compileFunction } from 'node:vm';
import { parentPort } from 'node:worker_threads';

/** Of a class of signs one of these stands for it. */
const SAMPLES = ['a', '1', ' ', '─', '│', '/', '.', 'x', 'A', '❯', '●', ')', ';', '\n'];
/** Fits into no pattern. Being no Latin letter it also keeps V8 from a shortcut that it has for some texts alone. */
const STRANGER = '漢';
/** What screens are full of. */
const COMMON = [' ', '─', '│ ', '┃ ', '. ', 'a', '1 ', '❯ ', '\n'];
/** Longer ones are repeated too seldom to be an attack. */
const MAX_PUMP = 80;
/** More often than that it is a repetition. */
const MANY = 20;

type Node = AST.Pattern | AST.Alternative | AST.Element;

function attacksOn(source: string, length: number): string[] {
  const texts = new Set<string>();
  const add = (lead: string, pump: string): void => {
    if (pump === '' || pump.length > MAX_PUMP) return;
    const body = (before: string): string =>
      before + pump.repeat(Math.ceil(length / pump.length)).slice(0, Math.max(0, length - before.length));
    for (const before of [lead, STRANGER + lead])
      for (const end of [STRANGER, `\n${STRANGER}`]) texts.add(body(before) + end);
  };
  /** Adds what can be repeated in a part of the pattern; returns the words up to behind it. */
  const walk = (node: Node, lead: string): string => {
    switch (node.type) {
      case 'Pattern':
      case 'Group':
      case 'CapturingGroup':
        return node.alternatives.map((one) => walk(one, lead))[0] ?? lead;
      case 'Alternative':
        return alternative(node, lead);
      case 'Assertion':
        if ('alternatives' in node) for (const one of node.alternatives) walk(one, lead);
        return lead;
      case 'Quantifier':
        walk(node.element, lead);
        if (node.max > MANY) for (const pump of pumpsOf(node)) add(lead, pump);
        return lead + wordsOf(node);
      default:
        return lead + wordsOf(node);
    }
  };
  const alternative = (node: AST.Alternative, lead: string): string => {
    const runs: { lead: string; text: string; isWord: boolean }[] = [];
    let end = lead;
    for (const element of node.elements) {
      const isWord = element.type === 'Character';
      const last = runs.at(-1);
      if (isWord && last?.isWord === true) last.text += wordsOf(element);
      else runs.push({ lead: end, text: wordsOf(element), isWord });
      end = walk(element, end);
    }
    runs.forEach((first, at) => {
      for (let to = at + 1; to <= runs.length; to += 1)
        add(
          first.lead,
          runs
            .slice(at, to)
            .map(({ text }) => text)
            .join(''),
        );
    });
    return end;
  };
  const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, { unicode: true });
  walk(pattern, '');
  for (const sign of COMMON) add('', sign);
  return [...texts];
}

/** Each sign that may be repeated, or all of what is. */
function pumpsOf({ element }: AST.Quantifier): string[] {
  const signs = element.type === 'CharacterClass' || element.type === 'CharacterSet' ? signsIn(element.raw) : [];
  return signs.length > 0 ? signs : [wordsOf(element)];
}

const signsIn = (raw: string): string[] => SAMPLES.filter((sign) => new RegExp(`^${raw}$`, 'u').test(sign));

/** Words that fit this part of a pattern. */
function wordsOf(node: Node): string {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return node.alternatives[0] === undefined ? '' : wordsOf(node.alternatives[0]);
    case 'Alternative':
      return node.elements.map(wordsOf).join('');
    case 'Character':
      return String.fromCodePoint(node.value);
    case 'CharacterSet':
      return signsIn(node.raw)[0] ?? '';
    case 'CharacterClass':
      return signsIn(node.raw)[0] ?? firstOf(node);
    case 'Quantifier':
      return wordsOf(node.element).repeat(Math.max(1, node.min));
    default:
      return '';
  }
}

function firstOf({ elements: [first] }: AST.CharacterClass): string {
  if (first?.type === 'Character') return String.fromCodePoint(first.value);
  return first?.type === 'CharacterClassRange' ? String.fromCodePoint(first.min.value) : '';
}

v8.setFlagsFromString('--allow-natives-syntax');
/** V8's own count of steps back, which is the same on every machine: a pattern that takes more fits nothing. */
const counting = compileFunction('return %NewRegExpWithBacktrackLimit(source, flags, most)', [
  'source',
  'flags',
  'most',
]) as (source: string, flags: string, most: number) => RegExp;

export interface Attack {
  readonly source: string;
  readonly flags: string;
  readonly length: number;
  readonly stepsPerSign: number;
}

/** The texts, of this length at least, on which it takes more steps than so many for each sign. Empty = it is about as long as the text. */
function slowOn({ source, flags, length, stepsPerSign }: Attack): string[] {
  // What fits nowhere fits at the end, unless the steps were used up before.
  const counted = counting(`(?:${source})|(?![^])`, flags, length * stepsPerSign);
  return attacksOn(source, length).filter((text) => !counted.test(text));
}

parentPort?.on('message', (attacks: readonly Attack[]) => parentPort?.postMessage(attacks.map(slowOn)));
