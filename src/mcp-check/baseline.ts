import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { AssayError } from '../domain/errors.ts';
import { pinTools } from '../drive/mcp/tool-pins.ts';
import { canonicalJson, isRecord, parseJson } from '../shared/json.ts';
import { overwrite } from '../shared/redacted-files.ts';
import { redactedText } from '../shared/redaction/redacted.ts';
import { type Redact, redactedJson } from '../shared/redaction/redaction.ts';
import { firstLine, shorten } from '../shared/text.ts';
import { definitionsOf, type ListedServer } from './definitions/listed-server.ts';
import { type CheckProblem, problemOf, ruleTexts } from './definitions/rule.ts';

/** One field that is not what it was. */
export interface PinChange {
  readonly tool: string | null;
  /** Such as `description` or `inputSchema.properties.path.type`; empty for a tool that came or went. */
  readonly place: string;
  readonly before: string | null;
  readonly now: string | null;
}

const why =
  'Clients that pin definitions refuse changed ones, and what was tested with the old words may no longer hold.';

/** Rules about differences from a baseline. */
export const baselineRules = ruleTexts({
  baselineChanged: {
    severity: 'error',
    summary: 'A definition differs from the baseline',
    why,
    fix: 'Look at the change; when it is intended, update the baseline with --write-baseline.',
  },
  baselineToolRemoved: {
    severity: 'error',
    summary: 'A tool of the baseline is missing',
    why: 'Prompts, guides and models that use the tool now fail.',
    fix: 'Bring it back under its name, or update the baseline with --write-baseline.',
  },
  baselineToolAdded: {
    severity: 'warning',
    summary: 'A tool is not in the baseline',
    why: 'It has not been reviewed, and it takes attention from the others.',
    fix: 'Look at it, and update the baseline with --write-baseline.',
  },
});

const mostChangesPerTool = 50;
const longestValue = 200;

/** Every field in which a server differs from its baseline. */
export function comparePins(before: PinsFile, now: PinsFile): PinChange[] {
  const names = [...new Set([...Object.keys(before.tools), ...Object.keys(now.tools)])].sort();
  const instructions = changesIn(before.instructions, now.instructions, 'instructions').map(withTool(null));
  return [...instructions, ...names.flatMap((name) => toolChanges(name, before, now))];
}

/** The changes as problems. */
export function problemsOfChanges(changes: readonly PinChange[]): CheckProblem[] {
  return changes.map(({ tool, place, before, now }) => {
    const tools = tool === null ? [] : [tool];
    if (place !== '') {
      const message = `\`${place}\` was ${before ?? 'not there'} and is ${now ?? 'not there'}.`;
      return problemOf(baselineRules.baselineChanged, { message, tools, place });
    }
    if (now === null) return problemOf(baselineRules.baselineToolRemoved, { message: `\`${tool}\` is gone.`, tools });
    return problemOf(baselineRules.baselineToolAdded, { message: `\`${tool}\` is new.`, tools });
  });
}

function toolChanges(tool: string, before: PinsFile, now: PinsFile): PinChange[] {
  const old = before.tools[tool]?.definition;
  const current = now.tools[tool]?.definition;
  if (!old || !current) return [{ tool, place: '', before: old ? tool : null, now: current ? tool : null }];
  return changesIn(old, current, '').slice(0, mostChangesPerTool).map(withTool(tool));
}

type FieldChange = Omit<PinChange, 'tool'>;

function changesIn(before: unknown, now: unknown, place: string): FieldChange[] {
  if (canonicalJson(before) === canonicalJson(now)) return [];
  if (!isRecord(before) || !isRecord(now)) return [{ place, before: shortJson(before), now: shortJson(now) }];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return keys.flatMap((key) => changesIn(before[key], now[key], place === '' ? key : `${place}.${key}`));
}

function withTool(tool: string | null): (change: FieldChange) => PinChange {
  return (change) => ({ tool, ...change });
}

function shortJson(value: unknown): string | null {
  if (value === undefined) return null;
  return shorten(JSON.stringify(value), longestValue);
}

/** The definitions of a server at the time of a review. */
const pinsFileSchema = z.object({
  schema: z.literal('assay.mcp-pins/1'),
  server: z.object({ name: z.string(), version: z.string() }),
  instructions: z.string().nullable(),
  tools: z.record(z.string(), z.object({ pin: z.string(), definition: z.record(z.string(), z.unknown()) })),
});
export type PinsFile = z.output<typeof pinsFileSchema>;

/** The pins of a server as it is now: the tools in order of their names, for readable diffs. */
export function pinsOf({ facts, tools }: ListedServer): PinsFile {
  const definitions = definitionsOf(tools);
  const pins = pinTools(definitions);
  const sorted = definitions.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    schema: 'assay.mcp-pins/1',
    server: { name: facts.name, version: facts.version },
    instructions: facts.instructions ?? null,
    tools: Object.fromEntries(
      sorted.map((definition) => [definition.name, { pin: pins[definition.name] ?? '', definition }]),
    ),
  };
}

/** Reads a file of pins; `shownAs` is how the user named it. */
export async function readPins(path: string, shownAs: string): Promise<PinsFile> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new AssayError('FILE_NOT_FOUND', `There is no baseline "${shownAs}".`, {
      hint: 'Create it from the current server with --write-baseline.',
    });
  });
  const parsed = pinsFileSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const message = `"${shownAs}" is not a baseline of \`assay mcp check\`: ${firstLine(z.prettifyError(parsed.error))}`;
  throw new AssayError('FILE_INVALID', message, { hint: 'Recreate it with --write-baseline.' });
}

export function writePins(path: string, pins: PinsFile, redact: Redact): void {
  overwrite(path, redactedText`${redactedJson(pins, redact, 2)}\n`);
}
