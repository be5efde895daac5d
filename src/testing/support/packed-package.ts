import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from './plugin-project.ts';
import { writeFiles } from './temporary-folder.ts';

const run = promisify(execFile);

export interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** The package as `npm pack` makes it, installed without a registry into an otherwise empty project. */
export class InstalledPackage {
  readonly project: string;
  /** Paths inside of the package. */
  readonly files: readonly string[];
  readonly unpackedBytes: number;
  readonly manifest: Manifest;

  private constructor(project: string, { files, unpackedSize }: Packed, manifest: Manifest) {
    this.project = project;
    this.files = files.map(({ path }) => path);
    this.unpackedBytes = unpackedSize;
    this.manifest = manifest;
  }

  static async install(): Promise<InstalledPackage> {
    const project = await realpath(await mkdtemp(join(tmpdir(), 'assay-installed-')));
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', project];
    const [packed] = JSON.parse((await run('npm', args, { cwd: packageRoot })).stdout) as [Packed];
    await run('tar', ['--extract', '--gzip', '--file', packed.filename], { cwd: project });
    const installed = join(project, 'node_modules', 'assay');
    await mkdir(dirname(installed));
    await rename(join(project, 'package'), installed);
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Manifest;
    const result = new InstalledPackage(project, packed, manifest);
    await result.link(...Object.keys(manifest.dependencies));
    await mkdir(join(project, 'node_modules', '.bin'));
    for (const [name, path] of Object.entries(manifest.bin))
      await symlink(join('..', 'assay', path), join(project, 'node_modules', '.bin', name));
    return result;
  }

  get folder(): string {
    return join(this.project, 'node_modules', 'assay');
  }

  /** Adds packages of the checkout to the project, as if they were installed there. */
  async link(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const place = join(this.project, 'node_modules', name);
      await mkdir(dirname(place), { recursive: true });
      await symlink(join(packageRoot, 'node_modules', name), place);
    }
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    await writeFiles(this.project, files);
  }

  /** Reads a file of the package. */
  async read(path: string): Promise<string> {
    return readFile(join(this.folder, path), 'utf8');
  }

  /** Runs Node in the project, and returns what it printed. */
  async node(...args: readonly string[]): Promise<string> {
    return (await run(process.execPath, args, { cwd: this.project })).stdout;
  }

  /** Runs the program as `npx assay` does. */
  async assay(...args: readonly string[]): Promise<string> {
    return this.node(join('node_modules', '.bin', 'assay'), ...args);
  }

  async remove(): Promise<void> {
    await rm(this.project, { recursive: true, force: true });
  }
}
