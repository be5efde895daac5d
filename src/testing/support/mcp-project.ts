import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type ScriptSource, startScriptedModel } from '../../drive/models/scripted/index.ts';
import type { CommandResult } from './assay.ts';
import { assayInProcess as assay } from './assay-in-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** How configs of the tests start their server. */
export const server = { transport: 'stdio', command: 'node', args: ['./server.mjs'] };

/** Fields of a trial that these tests read. */
export interface McpTrial {
  readonly trialId: string;
  readonly scenario: string;
  readonly outcome: string;
  readonly reason: string;
  readonly variant: Readonly<Record<string, string>>;
  readonly toolHealth:
    | readonly { readonly testName: string; readonly state: string; readonly details: string }[]
    | null;
  readonly workflow: readonly { readonly metric: string; readonly passed: boolean; readonly score: number }[] | null;
  readonly workflow_score?: number;
  readonly judge: { readonly state: string; readonly model?: string; readonly rubricHash?: string } | null;
  readonly fault?: { readonly code: string; readonly blame: string };
}

/**
 * The sample server, whose descriptions are those of the variable `WORDS`; it ends at a call of `add` with the number of
 * `LOST`, and never answers one with that of `STUCK`. With `EMPTY` it lists no tools.
 */
export async function unsteadyServer(): Promise<string> {
  const add = 'call: ({ a, b }) => ';
  const lost =
    '(a === Number(process.env.LOST) ? process.exit(9) : a === Number(process.env.STUCK) ? new Promise(() => {}) : ';
  const replaced = (await sampleServer())
    .replace('Object.entries(tools)', 'Object.entries(process.env.EMPTY ? {} : tools)')
    .replace('description: name', 'description: `${process.env.WORDS} ${name}`')
    .replace(`${add}text(String(a + b))`, `${add}${lost}text(String(a + b)))`);
  if (['EMPTY', 'WORDS', 'LOST'].some((name) => !replaced.includes(name)))
    throw new Error('The sample server is another now.');
  return replaced;
}

const sampleServer = () => readFile(fileURLToPath(new URL('./mcp-server.mjs', import.meta.url)), 'utf8');

/** A folder with the sample server and the given files; data is written as JSON. */
export async function mcpProject(files: Readonly<Record<string, unknown>>): Promise<string> {
  const sample = await sampleServer();
  const texts = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' ? content : JSON.stringify(content, null, 2),
  ]);
  return temporaryFolder({ 'server.mjs': sample, ...Object.fromEntries(texts) });
}

/** The trials in the run document that a command printed. */
export function trialsIn({ stdout }: CommandResult): McpTrial[] {
  return (JSON.parse(stdout) as { trials: McpTrial[] }).trials;
}

interface DrivenOptions {
  readonly folder: string;
  readonly args: readonly string[];
  readonly rules: ScriptSource['rules'];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the program beside a scripted model that every provider leads to. */
export async function driven({ folder, args, rules, env }: DrivenOptions) {
  await using model = await startScriptedModel({ rules });
  const result = await assay(args, { cwd: folder, env: { ...model.environment, ...env } });
  return { ...result, requests: model.log() };
}
