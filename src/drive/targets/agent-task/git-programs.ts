import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isInside } from '../../workspace/room-base.ts';

/** Sections whose settings name no program that Git starts by itself. */
const plainSections: ReadonlySet<string> = new Set(
  'advice alias author blame branch color column commit committer extensions feature fetch format http i18n index log pack pull push rebase rerere safe status tag url user'.split(
    ' ',
  ),
);

/** Settings of other sections that name none, or that graders override (`grader-environment.ts`). */
const plainKeys: Readonly<Record<string, ReadonlySet<string>>> = {
  core: new Set(
    'abbrev askpass autocrlf bare commentchar compression editor eol excludesfile filemode fsmonitor hookspath ignorecase logallrefupdates longpaths pager precomposeunicode quotepath repositoryformatversion safecrlf sharedrepository sparsecheckout sparsecheckoutcone sshcommand symlinks untrackedcache whitespace worktree'.split(
      ' ',
    ),
  ),
  diff: new Set('algorithm colormoved context mnemonicprefix noprefix renamelimit renames'.split(' ')),
  gc: new Set(
    'aggressivedepth aggressivewindow auto autodetach autopacklimit logexpiry packrefs pruneexpire reflogexpire reflogexpireunreachable worktreepruneexpire'.split(
      ' ',
    ),
  ),
  init: new Set(['defaultbranch']),
  lfs: new Set(['repositoryformatversion']),
  merge: new Set('autostash conflictstyle ff log renamelimit renames stat'.split(' ')),
  remote: new Set('fetch mirror partialclonefilter promisor prune pushurl tagopt url'.split(' ')),
  sequence: new Set(['editor']),
  submodule: new Set('active branch fetchrecursesubmodules ignore path recurse url'.split(' ')),
};

/** Sections in which a name between quotes stands for a driver, whose settings are others. */
const driverSections: ReadonlySet<string> = new Set(['diff', 'merge']);

/** Settings that a known program makes for itself. */
const ofLargeFiles = /^filter\.lfs\.(?:required=true|(?:clean|smudge|process)=git-lfs [\w -]+(?:%f)?)$/;

/** More folders than these are not searched. */
const mostFolders = 20_000;
const skippedFolders: ReadonlySet<string> = new Set(['node_modules']);

/** A setting of a repository by which Git may start a program. */
export interface GitProgram {
  /** Relative to the work directory. */
  readonly file: string;
  /** `filter.x.clean=sed …`; without `=`, why a file or folder could not be read. */
  readonly setting: string;
}

/**
 * Settings of the repositories in a work directory by which Git may start programs while it only looks at files: filters,
 * drivers of diffs, included files. Environment variables can replace a setting, but not all settings of a repository.
 */
export function gitPrograms(directory: string): GitProgram[] {
  const found: GitProgram[] = [];
  const note = (path: string, setting: string): void => void found.push({ file: relative(directory, path), setting });
  const folders = new Set([directory]);
  for (const folder of folders) {
    const { files, inner, isListed } = searched(folder);
    if (!isListed) note(folder, 'unreadable');
    for (const path of files) {
      const { settings, leadsTo } = read(path);
      for (const setting of settings) note(path, setting);
      if (leadsTo === undefined) continue;
      // It may lie in a folder that is not searched.
      if (isInside(leadsTo, directory)) folders.add(leadsTo);
      else note(path, `gitdir=${leadsTo}`);
    }
    for (const path of inner) folders.add(path);
    if (folders.size < mostFolders) continue;
    note(directory, 'with too many folders to search');
    break;
  }
  return found;
}

interface SearchedFolder {
  /** Absolute: the configuration of a repository, with or without a work tree, or what leads to it. */
  readonly files: readonly string[];
  readonly inner: readonly string[];
  /** Git finds settings in a folder by their names, whether or not it can be listed. */
  readonly isListed: boolean;
}

function searched(folder: string): SearchedFolder {
  const entries = entriesOf(folder);
  if (entries === undefined) return { files: [], inner: [], isListed: false };
  const names = new Set(entries.map(({ name }) => name));
  const isRepository = names.has('HEAD') || (names.has('objects') && names.has('refs'));
  const files = ['.git', ...(isRepository ? ['config', 'config.worktree', 'commondir'] : [])];
  const isSkipped = (name: string): boolean => skippedFolders.has(name) || (isRepository && name === 'objects');
  const inner = entries.filter((entry) => entry.isDirectory() && !isSkipped(entry.name)).map(({ name }) => name);
  const inFolder = (name: string): string => join(folder, name);
  return { files: files.filter((name) => names.has(name)).map(inFolder), inner: inner.map(inFolder), isListed: true };
}

/** Undefined for a folder that is there and cannot be listed. */
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code)) ? [] : undefined;
  }
}

interface ReadFile {
  readonly settings: readonly string[];
  /** Absolute: where the rest of the repository is. */
  readonly leadsTo?: string;
}

function read(path: string): ReadFile {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.isDirectory() && basename(path) === '.git')) return { settings: [] };
  // A link or a pipe in its place cannot be read as a list of settings.
  const text = stats.isFile() ? textOf(path) : undefined;
  if (text === undefined) return { settings: ['unreadable'] };
  if (basename(path).startsWith('config')) {
    return { settings: settingsIn(text).filter((setting) => !isPlain(setting)) };
  }
  return { settings: [], leadsTo: resolve(dirname(path), text.replace(/^gitdir:/, '').trim()) };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const header = /^\s*\[\s*([^\s"\]]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/;

/** Names of sections and keys in lower case, as Git compares them; a line that continues a value counts as a setting. */
function settingsIn(text: string): string[] {
  let section = '';
  return text.split('\n').flatMap((line) => {
    let rest = line;
    for (let found = header.exec(rest); found; found = header.exec(rest)) {
      section = [String(found[1]).toLowerCase(), ...(found[2] === undefined ? [] : [found[2]])].join('.');
      rest = rest.slice(found[0].length);
    }
    const [, key, value = 'true'] = /^\s*([^\s=#;]+)\s*(?:=\s*(.*?)\s*)?$/s.exec(rest) ?? [];
    return key === undefined ? [] : [`${section}.${key.toLowerCase()}=${value}`];
  });
}

function isPlain(setting: string): boolean {
  const [name = ''] = setting.split('=', 1);
  const [section = '', ...rest] = name.split('.');
  if (ofLargeFiles.test(setting) || plainSections.has(section)) return true;
  const isOfDriver = driverSections.has(section) && rest.length > 1;
  return !isOfDriver && (plainKeys[section]?.has(rest.at(-1) ?? '') ?? false);
}
