import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { isRecord, parseJson } from '../../shared/json.ts';

/** A version of one release; `^1.2.3`, `1.x` and `latest` stand for several. */
const exactVersion = z
  .string()
  .min(1)
  .max(255)
  .refine(
    (version) => !/^(?:latest|\*)$|^[\^~<>=]|(?:^|\.)[x*](?:\.|$)|\s-\s|\|\|/i.test(version),
    'one exact version',
  );

const transportSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stdio') }),
  z.object({ type: z.literal('streamable-http'), url: z.string().min(1) }),
  z.object({ type: z.literal('sse'), url: z.string().min(1) }),
]);

const variableSchema = z.object({
  name: z.string().min(1),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
});

const packageSchema = z
  .object({
    registryType: z.enum(['npm', 'pypi', 'oci', 'nuget', 'mcpb']),
    identifier: z.string().min(1),
    version: exactVersion.optional(),
    fileSha256: z
      .string()
      .regex(/^[a-f0-9]{64}$/, '64 hexadecimal digits')
      .optional(),
    transport: transportSchema,
    environmentVariables: z.array(variableSchema).optional(),
  })
  .refine(({ registryType, fileSha256 }) => registryType !== 'mcpb' || fileSha256 !== undefined, {
    error: 'a bundle needs its `fileSha256`',
    path: ['fileSha256'],
  });

const remoteSchema = z.object({
  type: z.enum(['streamable-http', 'sse']),
  url: z.url({ protocol: /^https?$/ }),
  headers: z.array(variableSchema).optional(),
});

/** The manifest of a server in the MCP registry, as far as it can be checked. */
export function manifestSchema() {
  return z.object({
    $schema: z
      .string()
      .regex(
        /^https:\/\/static\.modelcontextprotocol\.io\/schemas\/[\w-]+\/server\.schema\.json$/,
        'the address of the schema of the registry',
      ),
    name: z
      .string()
      .min(3)
      .max(200)
      .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/, 'a namespace and a name, such as `io.github.user/server`'),
    title: z.string().min(1).max(100).optional(),
    description: z.string().min(1).max(100),
    version: exactVersion,
    websiteUrl: z.url().optional(),
    repository: z.object({ url: z.url(), source: z.string().min(1) }).optional(),
    packages: z.array(packageSchema).optional(),
    remotes: z.array(remoteSchema).optional(),
  });
}
export type Manifest = z.output<ReturnType<typeof manifestSchema>>;

/** A manifest file, and what stands beside it. */
export interface ManifestFile {
  readonly file: string;
  readonly data: unknown;
  /** The `package.json` in its folder; undefined where there is none. */
  readonly packageJson: Readonly<Record<string, unknown>> | undefined;
  /** The `README.md` in its folder; undefined where there is none. */
  readonly readme: string | undefined;
}

/** Reads a manifest; `shownAs` is how the user named it. */
export async function readManifest(path: string, shownAs: string): Promise<ManifestFile> {
  const beside = (name: string): Promise<string | undefined> =>
    readFile(join(dirname(path), name), 'utf8').catch(() => undefined);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new AssayError('FILE_NOT_FOUND', `There is no manifest "${shownAs}".`);
  });
  const data = parseJson(text);
  if (!isRecord(data)) throw new AssayError('FILE_INVALID', `"${shownAs}" is not a JSON object.`);
  const packageJson = parseJson((await beside('package.json')) ?? '');
  return {
    file: shownAs,
    data,
    packageJson: isRecord(packageJson) ? packageJson : undefined,
    readme: await beside('README.md'),
  };
}
