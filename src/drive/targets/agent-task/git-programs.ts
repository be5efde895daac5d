import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isInside } from '../../workspace/room-base.ts';

/** Sections whose settings name no program that Git starts by itself. */
const plainSections: ReadonlySet<string> = new Set(
  'advice alias author blame branch color column commit committer extensions feature fetch format gc http i18n index init log pack pull push rebase rerere safe status tag url user'.split(
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
  /** `filter.x.clean=sed …`. */
  readonly setting: string;
}

/**
 * Settings of the repositories in a work directory by which Git may start programs while it only looks at files: filters,
 * drivers of diffs, included files. Environment variables can replace a setting, but not all settings of a repository.
 */
export function gitPrograms(directory: string): GitProgram[] {
  return configFiles(directory).flatMap((path) =>
    programsIn(path, directory).map((setting) => ({ file: relative(directory, path), setting })),
  );
}

function programsIn(path: string, directory: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.isDirectory() && basename(path) === '.git')) return [];
  // A link or a pipe in its place cannot be read as a list of settings.
  const text = stats.isFile() ? textOf(path) : undefined;
  if (text === undefined) return ['unreadable'];
  if (basename(path).startsWith('config')) return settingsIn(text).filter((setting) => !isPlain(setting));
  // The rest of the repository is elsewhere; inside the work directory it is found by itself.
  const elsewhere = text.replace(/^gitdir:/, '').trim();
  return isInside(resolve(dirname(path), elsewhere), directory) ? [] : [`gitdir=${elsewhere}`];
}

/** Configuration of every repository, with or without a work tree, of its submodules and further work trees. */
function configFiles(directory: string): string[] {
  const found: string[] = [];
  const folders = [directory];
  for (const folder of folders) {
    const entries = entriesOf(folder);
    const names = new Set(entries.map(({ name }) => name));
    const isRepository = names.has('HEAD') || (names.has('objects') && names.has('refs'));
    const files = isRepository ? ['config', 'config.worktree', 'commondir'] : ['.git'];
    found.push(...files.filter((name) => names.has(name)).map((name) => join(folder, name)));
    const inner = entries.filter((entry) => entry.isDirectory() && !skippedFolders.has(entry.name));
    const searched = inner.filter(({ name }) => !(isRepository && name === 'objects'));
    folders.push(...searched.map(({ name }) => join(folder, name)).slice(0, mostFolders - folders.length));
  }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
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
    const [, key, value = 'true'] = /^\s*([^\s=#;]+)\s*(?:=\s*(.*?)\s*)?$/.exec(rest) ?? [];
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
