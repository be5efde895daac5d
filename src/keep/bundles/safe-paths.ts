import { posix, sep } from 'node:path';

export interface Entry {
  readonly type: 'file' | 'link' | 'folder';
  readonly path: string;
  readonly target?: string;
}

const longestPath = 4_096;

/**
 * Why entries cannot be unpacked safely; undefined when they can. No entry lies below a file or a link, so every
 * folder above one is a real folder, and a link that is safe by itself stays safe beside all others.
 */
export function entryProblem(entries: readonly Entry[]): string | undefined {
  const leaves = new Set<string>();
  for (const { path } of entries) {
    if (leaves.has(path)) return `${JSON.stringify(path)} is listed twice`;
    leaves.add(path);
  }
  for (const entry of entries) {
    const problem = pathProblem(entry.path) ?? (entry.type === 'link' ? linkProblem(entry) : undefined);
    if (problem !== undefined) return `${JSON.stringify(entry.path)} ${problem}`;
    const above = parentsOf(entry.path).find((parent) => leaves.has(parent));
    if (above !== undefined) return `${JSON.stringify(entry.path)} lies below ${JSON.stringify(above)}`;
  }
  return undefined;
}

/** Why a path cannot be that of a file in a folder; undefined when it can. */
export function pathProblem(path: string): string | undefined {
  if (path === '' || path.length > longestPath) return 'is not a valid path';
  if (path.includes('\0') || !path.isWellFormed()) return 'is not a valid path';
  if (sep === '\\' && /[\\:]/.test(path)) return 'cannot be written here';
  const steps = path.split('/');
  return steps.some((step) => step === '' || step === '.' || step === '..') ? 'leads out of the folder' : undefined;
}

/**
 * Why a link cannot travel; undefined when it can. `..` may only stand at the beginning: behind the name of another
 * link it would mean something else than it seems to.
 */
export function linkProblem({ path, target = '' }: Pick<Entry, 'path' | 'target'>): string | undefined {
  const points = `points to ${JSON.stringify(target)}`;
  if (target === '' || target.includes('\0') || !target.isWellFormed()) return `${points}, which is not a valid path`;
  if (posix.isAbsolute(target) || (sep === '\\' && /[\\:]/.test(target))) return `${points}, out of the folder`;
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const firstName = steps.findIndex((step) => !isUp(step));
  if (firstName !== -1 && steps.slice(firstName).some(isUp)) return `${points}, through ".." in the middle of the path`;
  const reached = posix.join(posix.dirname(path), target);
  return reached === '..' || reached.startsWith('../') ? `${points}, out of the folder` : undefined;
}

function isUp(step: string): boolean {
  return step === '..';
}

function parentsOf(path: string): string[] {
  const steps = path.split('/').slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}
