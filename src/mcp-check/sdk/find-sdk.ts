import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ServerDefinition } from '../../drive/mcp/server-definition.ts';
import { isRecord, parseJson } from '../../shared/json.ts';

/** The official SDK that a server is built with. */
export interface ServerSdk {
  /** Such as `@modelcontextprotocol/sdk`. */
  readonly name: string;
  readonly version: string;
}

/** The packages of the official SDK for TypeScript: of the 2.x line and of the 1.x line. */
const packages = ['@modelcontextprotocol/server', '@modelcontextprotocol/sdk'];

/** The SDK beside the program of a server that is started here; undefined where none is found, such as one in a bundle. */
export async function findSdk(definition: ServerDefinition, directory: string): Promise<ServerSdk | undefined> {
  if (definition.transport !== 'stdio') return undefined;
  for (const word of [definition.command, ...definition.args]) {
    const program = resolve(directory, word);
    if (!(await stat(program).catch(() => undefined))?.isFile()) continue;
    const found = await sdkAbove(dirname(await realpath(program)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where several are installed, the one that the package of the program depends on. */
async function sdkAbove(folder: string, depended: readonly string[] = []): Promise<ServerSdk | undefined> {
  const own = await manifestIn(folder);
  const wanted = depended.length > 0 ? depended : packages.filter((name) => dependsOn(own, name));
  for (const name of [...wanted, ...packages]) {
    const version = (await manifestIn(join(folder, 'node_modules', name)))?.version;
    if (typeof version === 'string') return { name, version };
  }
  const above = dirname(folder);
  return above === folder ? undefined : sdkAbove(above, wanted);
}

type Manifest = Readonly<Record<string, unknown>>;

async function manifestIn(folder: string): Promise<Manifest | undefined> {
  const manifest = parseJson(await readFile(join(folder, 'package.json'), 'utf8').catch(() => ''));
  return isRecord(manifest) ? manifest : undefined;
}

function dependsOn(manifest: Manifest | undefined, name: string): boolean {
  return isRecord(manifest?.dependencies) && name in manifest.dependencies;
}
