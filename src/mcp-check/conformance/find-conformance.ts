import { access, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isRecord } from '../../shared/json.ts';

const packageName = '@modelcontextprotocol/conformance';

/** How the suite is started. */
export interface ConformanceProgram {
  /** For a shell; arguments follow. */
  readonly command: string;
}

/** The suite as it is installed in the project or above it, or through npx; a text says why it cannot be had. */
export async function findConformance(
  source: 'installed' | 'npx',
  directory: string,
): Promise<ConformanceProgram | string> {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    const entry = await entryIn(join(folder, 'node_modules', packageName));
    if (entry !== undefined) return { command: `"${process.execPath}" "${entry}"` };
    if (dirname(folder) === folder) break;
  }
  if (source === 'npx') return { command: `npx --yes ${packageName}` };
  return `${packageName} is not installed; install it, or let npx fetch it with --allow-npx`;
}

async function entryIn(folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const bin = isRecord(manifest) ? manifest.bin : undefined;
    const [first] = isRecord(bin) ? Object.values(bin) : [bin];
    if (typeof first !== 'string') return undefined;
    const entry = join(folder, first);
    await access(entry);
    return entry;
  } catch {
    return undefined;
  }
}
