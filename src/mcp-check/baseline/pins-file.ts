import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { pinTools } from '../../drive/mcp/tool-pins.ts';
import { definitionsOf, type ListedServer } from '../listed-server.ts';

/** What a server said of itself when somebody looked at it and found it right. */
const pinsFileSchema = z.object({
  schema: z.literal('assay.mcp-pins/1'),
  server: z.object({ name: z.string(), version: z.string() }),
  instructions: z.string().nullable(),
  tools: z.record(z.string(), z.object({ pin: z.string(), definition: z.record(z.string(), z.unknown()) })),
});
export type PinsFile = z.output<typeof pinsFileSchema>;

/** The pins of a server as it is now: the tools in order of their names, so that changes are easy to see in reviews. */
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
      hint: 'Make it from the server as it is now with --write-baseline.',
    });
  });
  const parsed = pinsFileSchema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const message = `"${shownAs}" is no baseline of \`assay mcp-check\`: ${z.prettifyError(parsed.error).split('\n')[0]}`;
  throw new AssayError('FILE_INVALID', message, { hint: 'Write it anew with --write-baseline.' });
}

export async function writePins(path: string, pins: PinsFile): Promise<void> {
  await writeFile(path, `${JSON.stringify(pins, null, 2)}\n`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
