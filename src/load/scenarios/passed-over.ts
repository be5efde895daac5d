import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, relative, resolve, sep } from 'node:path';
import type { Problem } from '../../domain/problem.ts';
import { matcherOf } from '../../keep/bundles/file-patterns.ts';
import { isRecord } from '../../shared/json.ts';
import { nearestName, suggestion } from '../../shared/suggest.ts';
import { dataExtensions, isModule, readSource } from '../sources/source-file.ts';

/** The files of a project that may belong to no scenario. */
interface Leftovers {
  /** Data files and links without a scenario, relative to `folder`. */
  readonly files: readonly string[];
  /** Those that are symbolic links. */
  readonly links: readonly string[];
  /** Paths that were to be read, relative to `folder`. */
  readonly paths: readonly string[];
  readonly folder: string;
  /** Files that may name others: scenarios and the config, relative to `folder`. */
  readonly referrers: readonly string[];
  /** Absolute files and folders that belong to scenarios. */
  readonly material: readonly string[];
}

/**
 * Problems of data files that no format recognises, because a scenario with a mistake would be passed over silently. The
 * folder of the project itself may hold data of all kinds; a folder that is named for its scenarios holds those, what they
 * refer to, and files that say what else they are.
 */
export async function passedOverFiles(leftovers: Leftovers): Promise<Problem[]> {
  const { files, links, paths, folder, material } = leftovers;
  const folders = paths.map((path) => resolve(folder, path)).filter((path) => !isWithin(folder, path));
  const left = files.filter((file) => {
    const absolute = resolve(folder, file);
    const isMaterial = material.some((place) => isWithin(absolute, place));
    return (folders.some((place) => isWithin(absolute, place)) || isNamedForScenarios(file)) && !isMaterial;
  });
  if (left.length === 0) return [];
  const isNamed = await namedFiles(leftovers);
  const problems: Problem[] = [];
  for (const file of left) {
    if (isNamed(resolve(folder, file)) || (await isScript(file, folder))) continue;
    problems.push(links.includes(file) ? unfollowed(file) : await unrecognised(file, folder));
  }
  return problems;
}

/** Where the whole project is searched, a folder is for scenarios if it is called that. */
function isNamedForScenarios(file: string): boolean {
  return dirname(file).split(sep).includes('scenarios');
}

/** Keys that say what a scenario is about. */
const subjectKeys = ['call', 'target', 'connector', 'connectors', 'server', 'toolHealthSuites', 'workflows'];

async function unrecognised(file: string, folder: string): Promise<Problem> {
  const source = await readSource(file, folder).catch(() => undefined);
  const written = isRecord(source?.value) ? Object.keys(source.value) : [];
  const misspelt = written.find((key) => nearestName(key, subjectKeys) !== undefined);
  const orElse = `Otherwise exclude it in the config: ${exclusionOf(file)}`;
  if (source && misspelt !== undefined) {
    const message = `not a scenario of any format: unknown key \`${misspelt}\``;
    return { at: source.locateKey([], misspelt), message, hint: `${suggestion(misspelt, subjectKeys)} ${orElse}` };
  }
  return {
    at: { file, line: 1, column: 1 },
    message: 'not a scenario of any format, and no scenario refers to it',
    hint: `Add \`call\`, \`target\`, \`connector\` or \`server\` to a scenario. ${orElse}`,
  };
}

function unfollowed(file: string): Problem {
  const message = 'symbolic links in folders of scenarios are not followed';
  const hint = `Add its target to \`scenarios\` in the config, or exclude it there: ${exclusionOf(file)}`;
  return { at: { file, line: 1, column: 1 }, message, hint };
}

function exclusionOf(file: string): string {
  return `\`exclude: [${JSON.stringify(file.split(sep).join('/'))}]\`.`;
}

const settingsOfTools = /^(?:assay\.config\.\w+|package(?:-lock)?\.json|[jt]sconfig(?:\.[\w.-]+)?\.json)$/;

/** Whether a file has settings of a tool that looks for them by this name; it is never a scenario. */
export function isSettingsFile(file: string): boolean {
  return settingsOfTools.test(basename(file));
}

/** Scripts of the scripted agent and of the scripted model are named on command lines, not in scenarios. */
async function isScript(file: string, folder: string): Promise<boolean> {
  const { loadAgentScript, loadModelScript } = await import('../scripts.ts');
  const readings = [() => loadAgentScript(resolve(folder, file)), () => loadModelScript(file, folder)];
  for (const read of readings) {
    const isRead = await read().then(
      () => true,
      () => false,
    );
    if (isRead) return true;
  }
  return false;
}

const mostReferrers = 2_000;
const mostBytes = 4_000_000;

/** Whether scenarios, the config, or files that those name refer to a file: by its path, a folder of it or a pattern. */
async function namedFiles({ referrers, folder }: Leftovers): Promise<(file: string) => boolean> {
  const places = new Set<string>();
  const patterns: { readonly base: string; readonly isMeant: (path: string) => boolean }[] = [];
  const waiting = referrers.map((file) => resolve(folder, file));
  const looked = new Set(waiting);
  for (const file of waiting) {
    const bases = [dirname(file), folder];
    for (const name of namesIn(await textOf(file))) {
      for (const base of bases) {
        // A pattern without a letter, such as the `/**` of a comment, is not the name of anything.
        if (/[*?]/.test(name) && /\w/.test(name)) patterns.push({ base, isMeant: matcherOf([`./${name}`]) });
        const place = resolve(base, name);
        // A scenario that names its own folder, such as a work directory, does not mean all files in it.
        if (looked.has(place) || isWithin(file, place) || !(await mayBeMeant(place, name))) continue;
        places.add(place);
        if (isReadable(place) && looked.size < mostReferrers) {
          looked.add(place);
          waiting.push(place);
        }
      }
    }
  }
  return (file) =>
    [...places].some((place) => isWithin(file, place)) ||
    patterns.some(({ base, isMeant }) => isMeant(relative(base, file).split(sep).join('/')));
}

/** Everything in a text that may be a path, without `file://` and the parts of promptfoo behind a path. */
function namesIn(text: string): Set<string> {
  const words = text.match(/[^\s"'`,;=()[\]{}<>|]+/g) ?? [];
  const values = [...text.matchAll(/(?:["'`]|:\s+)([^"'`\n]+\.\w+)(?=["'`]|\s*$)/gm)].map(([, value = '']) => value);
  return new Set([...words, ...values].map((word) => word.replace(/^file:\/\//, '').replace(/[:#].*$/, '')));
}

/** Files may be named by their bare names; a bare word is not the name of a folder. */
async function mayBeMeant(place: string, name: string): Promise<boolean> {
  if (!/[./]/.test(name)) return false;
  const entry = await stat(place).catch(() => undefined);
  return entry !== undefined && (entry.isFile() || (entry.isDirectory() && name.includes('/')));
}

function isReadable(file: string): boolean {
  return isModule(file) || (dataExtensions as readonly string[]).includes(extname(file).toLowerCase());
}

async function textOf(file: string): Promise<string> {
  const entry = await stat(file).catch(() => undefined);
  return entry?.isFile() && entry.size <= mostBytes ? readFile(file, 'utf8').catch(() => '') : '';
}

function isWithin(file: string, place: string): boolean {
  return file === place || file.startsWith(place.endsWith(sep) ? place : `${place}${sep}`);
}
