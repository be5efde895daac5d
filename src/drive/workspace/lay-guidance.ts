import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { AgentInstructions } from '../agents/agent.ts';
import { copyEntry, copyTree } from './copy-tree.ts';

/** Instruction files of any agent, the shared one first: guidance that is written for one agent is given to another. */
const knownFiles = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'QWEN.md', '.github/copilot-instructions.md'];

/** Folders of skills of any agent, the shared one first. */
const knownSkillFolders = ['.agents/skills', '.claude/skills', '.github/skills', '.gemini/skills', '.qwen/skills'];

/** A larger folder is not searched for instruction files. */
const mostEntries = 20_000;

/**
 * Lays guidance over a work directory where the agent reads it: a file becomes the agent's instruction file, and the
 * content of a folder goes to the root. An instruction file or a skill in the folder that the agent would not read is
 * laid down once more where it does. Returns the instruction files that the agent reads, relative to the directory.
 */
export async function layGuidance(
  source: string,
  directory: string,
  { files, skillFolders }: AgentInstructions,
): Promise<string[]> {
  if (!existsSync(source)) throw new AssayError('FILE_NOT_FOUND', `The guidance ${source} does not exist.`);
  const real = realpathSync(source);
  const [preferred = 'AGENTS.md'] = files;
  if (!statSync(real).isDirectory()) {
    await placeFile(real, directory, preferred);
    return [preferred];
  }
  await copyTree(real, directory, { skipsFolder: () => false });
  await mirrorSkills(real, directory, skillFolders);
  return mirrorFiles(real, directory, files);
}

/** In each folder that holds an instruction file of any agent, this agent finds its own. */
async function mirrorFiles(guidance: string, directory: string, files: readonly string[]): Promise<string[]> {
  const laid: string[] = [];
  const [preferred = 'AGENTS.md'] = files;
  for (const folder of foldersIn(guidance)) {
    const own = files.filter((name) => isFile(join(guidance, folder, name)));
    laid.push(...own.map((name) => posix.join(folder, name)));
    const other = own.length > 0 ? undefined : knownFiles.find((name) => isFile(join(guidance, folder, name)));
    if (other === undefined) continue;
    const path = posix.join(folder, preferred);
    await placeFile(join(guidance, folder, other), directory, path);
    laid.push(path);
  }
  return laid;
}

async function mirrorSkills(guidance: string, directory: string, skillFolders: readonly string[]): Promise<void> {
  const [preferred] = skillFolders;
  const hasOwn = skillFolders.some((folder) => isFolder(join(guidance, folder)));
  const other = knownSkillFolders.find((folder) => isFolder(join(guidance, folder)));
  if (preferred === undefined || hasOwn || other === undefined) return;
  makeFolders(directory, preferred);
  await copyTree(join(guidance, other), join(directory, preferred), { skipsFolder: () => false });
}

/** The folder itself, as an empty path, and those in it. */
function foldersIn(root: string): string[] {
  const found = [''];
  let entries = 0;
  for (const folder of found) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (++entries > mostEntries) return found;
      if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules') {
        found.push(posix.join(folder, entry.name));
      }
    }
  }
  // A file such as .github/copilot-instructions.md belongs to the folder above.
  return found.filter((folder) => !knownFiles.some((name) => dirname(name) === basename(folder)));
}

async function placeFile(source: string, directory: string, path: string): Promise<void> {
  makeFolders(directory, dirname(path));
  await copyEntry(realpathSync(source), join(directory, path));
}

/** Makes the folders of a path; a link of the template in their place, which may lead anywhere, is not followed. */
function makeFolders(directory: string, path: string): void {
  let at = directory;
  for (const name of path.split('/').filter((part) => part !== '.')) {
    at = join(at, name);
    if (isFolder(at)) continue;
    rmSync(at, { force: true });
    mkdirSync(at);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
