import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { type HarnessConfig, type HarnessPart, harnessItems, scriptsPlace } from '../../../domain/harness.ts';
import type { Trial } from '../../../domain/trial.ts';
import { mapFields, mapTexts } from '../../../shared/json.ts';
import type { FoundAgent } from '../../agents/agent.ts';
import type { LaidHarness } from '../../agents/harness.ts';
import { copyEntry, copyTree } from '../../workspace/copy-tree.ts';
import type { TaskConfig } from './task-config.ts';

/** The harness of a trial; undefined for the variant without one. */
export function harnessOfTrial({ variant }: Trial, { harness }: TaskConfig): HarnessConfig | undefined {
  return variant.harness === undefined ? undefined : harness?.[variant.harness];
}

/** Lays the harness of a trial into the home of its agent; refuses one that the agent cannot be handed. */
export async function layHarness(
  trial: Trial,
  config: TaskConfig,
  { kind }: FoundAgent,
  home: string,
): Promise<LaidHarness | undefined> {
  const harness = harnessOfTrial(trial, config);
  if (harness === undefined || kind.isStandIn) return undefined;
  const missing = harnessItems(harness).find(({ part }) => kind.harness?.[part] === undefined);
  if (missing) {
    const message = `The agent "${kind.name}" cannot be handed \`${missing.part}\` of the harness "${trial.variant.harness}".`;
    throw new AssayError('HARNESS_UNSUPPORTED', message);
  }
  const place = (part: HarnessPart): string => join(home, kind.harness?.[part]?.folder ?? 'harness');
  const pluginFolders: string[] = [];
  for (const { name, folder } of harness.plugins ?? []) {
    pluginFolders.push(await laidFolder(folder, join(place('plugins'), name)));
  }
  for (const { name, file } of harness.subagents ?? []) {
    if (!existsSync(file)) throw new AssayError('FILE_NOT_FOUND', `${file} does not exist.`);
    await mkdir(place('subagents'), { recursive: true });
    await copyEntry(file, join(place('subagents'), `${name}.md`));
  }
  const { folder, events } = harness.hooks ?? {};
  const scripts = folder === undefined ? undefined : await laidFolder(folder, place('hooks'));
  return { config: harness, pluginFolders, hooks: events && mapFields(events, (hooks) => withScripts(hooks, scripts)) };
}

async function laidFolder(from: string, to: string): Promise<string> {
  if (!existsSync(from)) throw new AssayError('FILE_NOT_FOUND', `${from} does not exist.`);
  await mkdir(to, { recursive: true });
  await copyTree(from, to, { skipsFolder: () => false });
  return to;
}

function withScripts(hooks: unknown, folder = ''): readonly unknown[] {
  return mapTexts(hooks, (text) => text.replaceAll(scriptsPlace, () => folder)) as readonly unknown[];
}
