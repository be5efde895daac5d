import { isRecord } from '../../shared/json.ts';
import type { ListedTool } from '../definitions/listed-server.ts';
import { argumentsOf, flattened } from '../definitions/tool-arguments.ts';
import { meaningfulWords, nameWords } from '../definitions/words.ts';
import { contradiction } from '../rules/annotations.ts';

/** Which tools may be called. */
export interface CallChoice {
  /** Also tools that may change something. */
  readonly callsAll: boolean;
  /** Names of tools, or patterns with `*`, that are called whatever they say of themselves. */
  readonly call: readonly string[];
  /** Names and patterns of tools that are not called. */
  readonly skip: readonly string[];
}

/** The grounds for calling a tool: the user, its annotations, or its name and schema. */
export type CallReason = 'option' | 'annotations' | 'name';

/** Whether a tool is called, and why or why not. */
type CallDecision = { readonly calledFor: CallReason } | { readonly leftOut: string };

/** Decides whether a tool is called; an exact name counts more than a pattern, and then `skip` more than `call`. */
export function decideCall(tool: ListedTool, { callsAll, call, skip }: CallChoice): CallDecision {
  const isNamed = (names: readonly string[]): boolean => names.includes(tool.name);
  const matches = (patterns: readonly string[]): boolean => patterns.some((pattern) => matchesName(pattern, tool.name));
  if (isNamed(skip) || (matches(skip) && !isNamed(call))) return { leftOut: 'left out by --skip' };
  if (isReadOnly(tool)) return { calledFor: 'annotations' };
  if (callsAll || matches(call)) return { calledFor: 'option' };
  if (contradiction(tool) !== undefined)
    return { leftOut: 'its annotations contradict each other or its name (--call calls it)' };
  if (tool.annotations.readOnlyHint === false) return { leftOut: 'it is not marked read-only (--call calls it)' };
  const doubt = doubtAbout(tool);
  return doubt === undefined ? { calledFor: 'name' } : { leftOut: `${doubt} (--call calls it)` };
}

/** Whether a name is meant by a pattern, in which `*` stands for any text. */
export function matchesName(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;
  const parts = pattern.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}

/** Whether the tool says that it changes nothing, and nothing contradicts it. */
export function isReadOnly(tool: ListedTool): boolean {
  return tool.annotations.readOnlyHint === true && contradiction(tool) === undefined;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const reading = set(
  'get list read search find describe show count lookup look view fetch check status info help echo ping version calculate compute convert parse explain compare diff resolve preview inspect browse retrieve',
);
const changing = set(
  'add append apply approve archive assign book cancel charge clear clone close commit confirm consume copy create delete deploy destroy disable dispatch drop edit email enable enqueue erase exec execute fill fork grant import increment insert install invite invoke kill launch lock log mark merge modify move mutate notify open order overwrite patch pay pop post publish purge push put queue reboot record register reject release remove rename replace reply reserve reset restart restore revoke rotate run save schedule send set shutdown sign spawn start stop store submit subscribe swap sync terminate toggle transfer trigger truncate uninstall unlock update upgrade upload upsert vote wipe write',
);
/** Arguments that carry a program: its effects are not known. */
const programs = set('sql code script command cmd shell statement program mutation method password headers');
const changingText =
  /\b(?:delet|remov|overwrit|creat|writ|updat|modif|insert|send|publish|clear|reset|sav|execut|install|upload|submit|purchas|consum|dequeu)(?:e|es|ed|s|ies|ing|y)?\b/i;
/** `get_or_create` does both; `get_order` does not order anything. */
const joiners = set('and or then');
const mostCharacters = 4_000;

/** Why a tool without annotations might change something; undefined where name, description and schema only read. */
function doubtAbout(tool: ListedTool): string | undefined {
  if (tool.annotations.destructiveHint === true) return 'it is marked destructive';
  const words = nameWords(tool.name);
  // Servers put their own name in front: `github_get_issue`, `notion-search`.
  const [verb = ''] = words.filter((word) => reading.has(word) || changing.has(word));
  if (!reading.has(verb)) return 'neither its annotations nor its name say that it only reads';
  const other = words.find((word, index) => changing.has(word) && joiners.has(words[index - 1] ?? ''));
  if (other !== undefined) return `its name says "${other}", and it is not marked read-only`;
  const [text] = changingText.exec(tool.description.slice(0, mostCharacters)) ?? [];
  if (text !== undefined) return `its description says "${text}", and it is not marked read-only`;
  const argument = isRecord(tool.inputSchema) ? doubtfulArgument(tool) : undefined;
  return argument === undefined
    ? undefined
    : `its argument \`${argument}\` may change something, and it is not marked read-only`;
}

function doubtfulArgument(tool: ListedTool): string | undefined {
  return flattened(argumentsOf(tool)).find(({ name }) => {
    const [first = '', ...others] = meaningfulWords(name.split('.').at(-1) ?? name);
    return changing.has(first) || [first, ...others].some((word) => programs.has(word));
  })?.name;
}
