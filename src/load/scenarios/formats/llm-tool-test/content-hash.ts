import { createHash, type Hash } from 'node:crypto';
import { createReadStream, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Scenario } from '../../../../domain/scenario.ts';
import { grouped } from '../../../../shared/format.ts';
import { sha256 } from '../../../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../../../shared/json.ts';
import type { DataPath } from '../../../sources/parsed-source.ts';
import { fileFault } from '../../../sources/source-file.ts';
import { withoutCi } from '../ci-section.ts';
import { identityOf } from '../scenario-identity.ts';
import type { FoundHarnesses } from './harness-section.ts';
import type { LlmToolTestReading } from './llm-tool-test-schema.ts';
import type { SkillArms } from './skills-section.ts';

/** A larger file is read in pieces. */
const streamedBytes = 1_000_000;
const separator = Buffer.from('/');
const leftOut = Buffer.from('scenarios');

/** Thrown for a folder that is too large to copy for each trial, such as the root of a disk. */
class TreeTooLarge extends Error {
  constructor(mostEntries: number) {
    super(`it has more than ${grouped(mostEntries)} files and folders`);
  }
}

/**
 * SHA-256 of a file, or of everything in a folder: paths, permissions, links and bytes. Folders named `scenarios` do
 * not count, because they are not copied into a work directory either.
 */
export async function treeHash(path: string, mostEntries = 100_000): Promise<string> {
  const tree = new TreeHash(mostEntries);
  // Only a link at the root is followed.
  await tree.add(Buffer.from(path), await stat(path));
  return tree.hash.digest('hex');
}

/** Small files are read synchronously, which takes a fifth of the time. Paths are bytes, because names need not be UTF-8. */
class TreeHash {
  readonly hash: Hash = createHash('sha256');
  readonly #mostEntries: number;
  #entries = 0;

  constructor(mostEntries: number) {
    this.#mostEntries = mostEntries;
  }

  async add(path: Buffer, entry: Stats): Promise<void> {
    if (++this.#entries > this.#mostEntries) throw new TreeTooLarge(this.#mostEntries);
    const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other';
    this.#field(Buffer.from(`${kind} ${entry.mode & 0o777}`));
    if (kind === 'folder') await this.#addFolder(path);
    else if (kind === 'link') this.#field(readlinkSync(path, { encoding: 'buffer' }));
    else if (kind === 'file') this.#field(await bytesDigest(path, entry.size));
  }

  async #addFolder(path: Buffer): Promise<void> {
    const names = readdirSync(path, { encoding: 'buffer' }).sort(Buffer.compare);
    for (const name of names) {
      const inside = Buffer.concat([path, separator, name]);
      const entry = lstatSync(inside);
      if (entry.isDirectory() && name.equals(leftOut)) continue;
      this.#field(name);
      await this.add(inside, entry);
    }
    this.#field(separator);
  }

  /** Prefixed with its length, so no two lists of fields give the same bytes. */
  #field(field: Buffer): void {
    this.hash.update(`${field.length}:`).update(field);
  }
}

async function bytesDigest(path: Buffer, size: number): Promise<Buffer> {
  const hash = createHash('sha256');
  // Files without a size are not opened: those of the kernel may never end.
  if (size > streamedBytes) for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  else if (size > 0) hash.update(readFileSync(path));
  return hash.digest();
}

/** Everything beside the file itself that can change a verdict. */
interface HashedParts {
  readonly template: string | undefined;
  readonly guidance: ReadonlyMap<string, string>;
  readonly skills: SkillArms;
  readonly harness?: FoundHarnesses | undefined;
  /** The tool under test. */
  readonly target: unknown;
  /** Judges and cases, as far as they have been read. */
  readonly content: readonly unknown[];
}

/** Keys of a file that name what is under test; everything else is the task. */
const subjectKeys = ['target', 'agents', 'models', 'tool_matrix', 'guidance', 'skills', 'harness', 'mcp_servers'];

/** Hashes of the file and of everything that it names, independent of the project's location. */
export async function hashesOf(
  { template, guidance, skills, harness, target, content }: HashedParts,
  reading: LlmToolTestReading,
): Promise<Pick<Scenario, 'contentHash' | 'identity'>> {
  const templateHash = template && (await hashOf(template, ['template_folder'], reading));
  const guidanceHashes: [string, string][] = [];
  for (const [name, path] of guidance) {
    guidanceHashes.push([name, await hashOf(path, ['guidance', name], reading)]);
  }
  const skillHashes: [string, string][] = [];
  for (const [arm, members] of skills) {
    for (const { folder } of members) skillHashes.push([arm, await hashOf(folder, ['skills', arm], reading)]);
  }
  const harnessHashes: [string, string][] = [];
  for (const [arm, files] of harness?.files ?? []) {
    for (const file of files) harnessHashes.push([arm, await hashOf(file, ['harness', arm], reading)]);
  }
  const ofHarness = harnessHashes.length === 0 ? [] : [harnessHashes];
  // Files without skills keep the hash that they have always had.
  const ofSkills = skills.size === 0 ? [] : [skillHashes];
  const written = reading.source.value;
  const all = [withoutCi(written), target, ...content, templateHash, guidanceHashes, ...ofSkills, ...ofHarness];
  const servers = isRecord(written) ? written.mcp_servers : undefined;
  const subject = {
    target,
    mcp_servers: servers,
    guidance: Object.fromEntries(guidanceHashes),
    skills: Object.fromEntries(skillHashes),
    ...(isRecord(written) && written.harness !== undefined && { harness: [written.harness, harnessHashes] }),
  };
  return {
    contentHash: sha256(canonicalJson(all)),
    identity: identityOf({ written, subjectKeys, subject, content: [...content, templateHash] }),
  };
}

async function hashOf(path: string, named: DataPath, { source, context, found }: LlmToolTestReading): Promise<string> {
  try {
    return await treeHash(path);
  } catch (error) {
    const at = source.locate(named);
    found.problems.push({ at, message: `${relative(context.folder, path) || '.'} cannot be used: ${whyNot(error)}` });
    return '';
  }
}

function whyNot(error: unknown): string {
  if (error instanceof TreeTooLarge) return error.message;
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  return `in it, ${(error as NodeJS.ErrnoException).path}: ${fileFault(error)}`;
}
