import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { eventsOf, type TraceEventOf } from '../../../domain/trace.ts';
import { removePlanted } from '../../../drive/targets/agent-task/plant-files.ts';
import { copyEntry, copyTree } from '../../../drive/workspace/copy-tree.ts';
import { instructionNames } from '../../../drive/workspace/instruction-files.ts';
import { copyTemplate } from '../../../drive/workspace/prepare-workspace.ts';
import { isRecord } from '../../../shared/json.ts';
import type { Redact } from '../../../shared/redaction/redaction.ts';
import type { OriginalScenario } from './original-scenario.ts';
import type { RecordedTrial } from './recorded-trial.ts';

/** How the work directory of a case was made. */
export interface StartState {
  /** Whether it holds what the setup commands of the trial left, so they must not run again. */
  readonly isAfterSetup: boolean;
  /** Remarks for the author of the case. */
  readonly notes: readonly string[];
}

interface StartRequest {
  readonly trial: RecordedTrial;
  readonly original: OriginalScenario | undefined;
  /** Absolute: where trials are kept. */
  readonly resultsFolder: string;
  /** Absolute: a folder that is not there yet. */
  readonly into: string;
  readonly redact: Redact;
}

/**
 * Makes the work directory as it was when the agent began: from the template, where the trial was run with it as it is
 * now, else from the kept work of the agent, whose changes are undone. Undefined where there is nothing to make it of.
 */
export async function makeStartState(request: StartRequest): Promise<StartState | undefined> {
  const { trial, original, into } = request;
  const template = templateOf(original);
  if (original?.isUnchanged) {
    if (template === undefined) return undefined;
    mkdirSync(into, { recursive: true });
    await copyTemplate(template, request.resultsFolder, into);
    return { isAfterSetup: false, notes: [] };
  }
  const kept = trial.keptFolder === undefined ? undefined : join(trial.keptFolder, 'fixture');
  if (kept === undefined || !existsSync(kept)) {
    if (template === undefined) return undefined;
    mkdirSync(into, { recursive: true });
    await copyTemplate(template, request.resultsFolder, into);
    return { isAfterSetup: false, notes: ['The template is as it is now: the work directory of the trial is gone.'] };
  }
  mkdirSync(into, { recursive: true });
  await copyTree(kept, into, { skipsFolder: (_, name) => name === '.git' });
  if (trial.record.variant.guidance !== undefined) removeGuidance(into, template);
  const unrestored = await undoChanges(trial, into, template);
  for (const attack of eventsOf(trial.trace, 'attack')) await removePlanted(attack, into);
  return { isAfterSetup: true, notes: [...unrestored, ...withoutSecrets(into, request.redact)] };
}

function templateOf(original: OriginalScenario | undefined): string | undefined {
  const config = original?.scenario.target.config;
  return isRecord(config) && typeof config.template === 'string' ? config.template : undefined;
}

/** The case lays the guidance of the trial down again. */
function removeGuidance(into: string, template: string | undefined): void {
  for (const name of instructionNames) {
    if (template === undefined || !existsSync(join(template, name)))
      rmSync(join(into, name), { recursive: true, force: true });
  }
}

type FileChange = TraceEventOf<'file-change'>;

/** Undoes what the agent did; files that cannot be restored are taken from the template or named in a note. */
async function undoChanges({ trace }: RecordedTrial, into: string, template: string | undefined): Promise<string[]> {
  const lost: string[] = [];
  for (const change of eventsOf(trace, 'file-change')) {
    const path = resolve(into, change.path);
    if (!path.startsWith(`${into}${sep}`)) continue;
    if (await isUndone(change, path, into)) continue;
    const original = template === undefined ? undefined : join(template, relative(into, path));
    if (original !== undefined && lstatSync(original, { throwIfNoEntry: false })?.isFile()) {
      mkdirSync(dirname(path), { recursive: true });
      await copyEntry(original, path);
    } else lost.push(change.path);
  }
  const isCut = eventsOf(trace, 'notice').some(({ message }) => message.includes('more changed files are not listed'));
  return [
    ...(lost.length === 0 ? [] : [`Could not be restored: ${lost.slice(0, mostNamed).join(', ')}${more(lost)}.`]),
    ...(isCut ? ['The agent changed more files than the trace lists; check the fixture.'] : []),
  ];
}

const mostNamed = 10;

function more(names: readonly string[]): string {
  return names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
}

async function isUndone({ change, diff }: FileChange, path: string, into: string): Promise<boolean> {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (change === 'created') {
    if (!entry) return false;
    rmSync(path, { recursive: true });
    removeEmptyFolders(dirname(path), into);
    return true;
  }
  if (change === 'deleted' || diff === null || !entry?.isFile()) return false;
  const before = await textBefore(readFileSync(path, 'utf8'), diff);
  if (before === undefined) return false;
  writeFileSync(path, before);
  const [, mode] = /^old mode 100(\d{3})$/m.exec(diff) ?? [];
  if (mode !== undefined) chmodSync(path, Number.parseInt(mode, 8));
  return true;
}

/** A folder that the agent made for its files goes with them. */
function removeEmptyFolders(folder: string, into: string): void {
  for (let at = folder; at !== into && readdirSync(at).length === 0; at = dirname(at)) rmdirSync(at);
}

/** The text before a change; undefined where the text is not the one that the diff leads to. */
async function textBefore(text: string, diff: string): Promise<string | undefined> {
  const begin = diff.search(/^--- /m);
  if (begin < 0) return text;
  const { applyPatch, parsePatch, reversePatch } = await import('diff');
  const [patch] = parsePatch(diff.slice(begin));
  const before = patch && applyPatch(text, reversePatch(patch));
  return before === false ? undefined : before;
}

const largestChecked = 1_000_000;

/** Removes files that hold a secret of the environment: a fixture is shared with the project. */
function withoutSecrets(into: string, redact: Redact): string[] {
  const removed: string[] = [];
  for (const name of readdirSync(into, { recursive: true, encoding: 'utf8' })) {
    const path = join(into, name);
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (!entry?.isFile() || entry.size > largestChecked) continue;
    const text = readFileSync(path, 'utf8');
    if (text.includes('\0') || redact(text) === text) continue;
    rmSync(path);
    removed.push(name.split(sep).join('/'));
  }
  if (removed.length === 0) return [];
  return [`Left out, because they hold a secret: ${removed.slice(0, mostNamed).join(', ')}${more(removed)}.`];
}
