import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { loadPlugins, type Plugins, withPlugins } from '../../compose/plugins/load-plugins.ts';
import { AssayError } from '../../domain/errors.ts';
import type { PartSpec, Scenario } from '../../domain/scenario.ts';
import { conversationTargetWith } from '../../drive/conversation/conversation-target.ts';
import { evaluators } from '../../score/evaluators/index.ts';
import { type EngineRun, runOnEngine } from './engine-run.ts';
import { scenarioOf } from './faulty-parts.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The checkout, which is also the built package. */
export const packageRoot = fileURLToPath(new URL('../../..', import.meta.url));

/** A project outside of the repository, in which `assay` and some packages beside it are installed. */
export async function pluginProject(
  files: Readonly<Record<string, string>>,
  installed: readonly string[] = ['zod'],
): Promise<string> {
  const folder = await temporaryFolder(files);
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(packageRoot, join(folder, 'node_modules', 'assay'));
  for (const name of installed)
    await symlink(join(packageRoot, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

/** A sample plug-in, with the package in place of the sources that the compiler checks it against here. */
export async function samplePlugin(name: 'politeness' | 'echo'): Promise<string> {
  const text = await readFile(new URL(`../../../test/fixtures/plugins/${name}.ts`, import.meta.url), 'utf8');
  return text.replace("'../../../src/entry/index.ts'", "'assay'");
}

/** Loads plug-ins as a config in the folder would name them. */
export function load(folder: string, ...specifiers: string[]): Promise<Plugins> {
  return loadPlugins(
    specifiers.map((specifier) => ({ specifier })),
    folder,
  );
}

/** Loads one file that needs nothing but itself. */
export async function loadFile(text: string, name = 'plugin.mjs'): Promise<Plugins> {
  return load(await temporaryFolder({ [name]: text }), `./${name}`);
}

/** The thrown error, as the user reads it. */
export async function refusal(loading: Promise<unknown>): Promise<AssayError> {
  const thrown: unknown = await loading.catch((error: unknown) => error);
  if (!(thrown instanceof AssayError)) throw new Error(`It was not refused: ${String(thrown)}`);
  expect(thrown.code).toBe('CONFIG_INVALID');
  return thrown;
}

/** A conversation with the connector `echo`. */
export function conversation(
  userMessages: readonly string[],
  specs: readonly PartSpec[],
  timeoutMs = 30_000,
): Scenario {
  const config = {
    connectors: { agent: { type: 'echo', headers: {}, config: { suffix: ', please' } } },
    personas: {},
    messages: [],
    userMessages,
    maxMessages: 10,
  };
  return scenarioOf('talk', { type: 'conversation', config }, specs, timeoutMs);
}

/** Holds a conversation with the plug-ins beside the program's own parts. */
export async function converse(
  plugins: Plugins,
  scenario: Scenario,
): Promise<EngineRun['records'][string] | undefined> {
  const parts = withPlugins({ evaluators, connectors: [] as Plugins['connectors'] }, plugins);
  const targets = [conversationTargetWith(parts.connectors)];
  const { records } = await runOnEngine([scenario], { targets, evaluators: parts.evaluators });
  return records.talk;
}

/** An evaluator as a plain file would define it. */
export const evaluatorFile = (type: string, kind: string, body: string, more = '') =>
  `export default { evaluators: [{ type: '${type}', label: 'L', kind: '${kind}', ${more} evaluate: ${body} }] };`;
