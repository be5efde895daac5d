import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { AssayError } from '../../../../domain/errors.ts';
import { ProblemsError } from '../../../../domain/problem.ts';
import { type ServerDefinition, serverDefinitionSchema } from '../../../../drive/mcp/server-definition.ts';
import type { ParsedSource } from '../../../../load/sources/parsed-source.ts';
import { problemsOf } from '../../../../load/sources/schema-problems.ts';
import { readSource, readText } from '../../../../load/sources/source-file.ts';
import { isRecord } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import type { CommandOptions } from './options.ts';

/** Options that add to a definition or override it. */
type DefinitionOptions = Pick<CommandOptions, 'header' | 'env' | 'transport'>;

/** Which server of a scenario with several is meant. */
export interface ServerChoice {
  readonly name?: string | undefined;
  /** Those that a command starts are not meant. */
  readonly isRemote?: boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

/** The server that a command line names. */
export interface NamedServer {
  readonly definition: ServerDefinition;
  /** The folder that its paths are relative to. */
  readonly directory: string;
  /** Arguments of tools that its config calls them with and expects to work. */
  readonly knownArguments: ReadonlyMap<string, readonly Arguments[]>;
}

const dataEndings = ['.json', '.jsonc', '.yaml', '.yml', '.toml'];
const moduleEndings = ['.ts', '.js', '.mjs'];

/** Finds out whether arguments are a URL, a definition, a config file or a command line. */
export async function readServerArgument(
  args: readonly string[],
  options: DefinitionOptions,
  cwd: string,
  choice: ServerChoice = {},
): Promise<NamedServer> {
  const [first] = args;
  if (first === undefined)
    throw new AssayError('USAGE', 'No server was given.', {
      hint: 'Name a URL, a config file, or a command line after `--`: assay mcp check -- node server.mjs',
    });
  const isJson = args.length === 1 && first.trimStart().startsWith('{');
  const isUrl = args.length === 1 && /^https?:\/\//i.test(first);
  if (args.length === 1 && !isJson && !isUrl && (await isConfig(first, cwd)))
    return readConfig(first, options, cwd, choice);
  if (choice.name !== undefined) throw notSeveral(first, choice.name);
  if (isJson) return plain(jsonDefinition(first), options, cwd);
  if (isUrl) return plain({ url: first }, options, cwd);
  const [command, ...rest] = args;
  return plain({ command, args: rest }, options, cwd);
}

/** A file is a config unless it is a program that can be started. */
async function isConfig(file: string, cwd: string): Promise<boolean> {
  const ending = extname(file).toLowerCase();
  if (dataEndings.includes(ending)) return true;
  if (!moduleEndings.includes(ending)) return false;
  const path = resolve(cwd, file);
  if (!(await stat(path).catch(() => undefined))?.isFile()) return true;
  return access(path, constants.X_OK).then(
    () => false,
    () => true,
  );
}

async function readConfig(
  file: string,
  options: DefinitionOptions,
  cwd: string,
  choice: ServerChoice,
): Promise<NamedServer> {
  const isModule = moduleEndings.includes(extname(file).toLowerCase());
  if (isModule && !(await stat(resolve(cwd, file)).catch(() => undefined)))
    throw new AssayError('USAGE', `The file "${file}" does not exist.`, {
      hint: `Correct its path. A server is started with: assay mcp check -- node ${file}`,
    });
  const source = isModule ? await readModule(file, cwd) : await readSource(file, cwd);
  const data = isRecord(source.value) ? source.value : {};
  const { path, written } = serverIn(file, data, choice);
  const parsed = serverDefinitionSchema().safeParse(withOptions(written, options));
  if (!parsed.success) throw configError(file, source, data, parsed.error, path);
  const directory = dirname(resolve(cwd, file));
  return { definition: parsed.data, directory, knownArguments: knownArguments(data) };
}

/** The definition in a file: under `server`, the file itself, or one of the servers of a scenario about a CLI tool. */
function serverIn(file: string, data: Arguments, choice: ServerChoice): { path: string[]; written: unknown } {
  const { server, mcp_servers: servers } = data;
  if (server === undefined && isRecord(servers)) {
    const name = nameIn(file, servers, choice);
    return { path: ['mcp_servers', name], written: servers[name] };
  }
  if (choice.name !== undefined) throw notSeveral(file, choice.name);
  return 'server' in data ? { path: ['server'], written: server } : { path: [], written: data };
}

function notSeveral(where: string, name: string): AssayError {
  const message = `"${where}" has no \`mcp_servers\`, so no server is called "${name}".`;
  return new AssayError('USAGE', message, { hint: `Leave out "${name}".` });
}

function nameIn(file: string, servers: Arguments, { name, isRemote }: ServerChoice): string {
  const names = Object.keys(servers);
  if (name !== undefined) {
    if (names.includes(name)) return name;
    throw new AssayError('USAGE', `"${file}" has no server "${name}".`, { hint: suggestion(name, names) });
  }
  const remote = names.filter((one) => isRecord(servers[one]) && 'url' in servers[one]);
  const [only, ...others] = isRemote && remote.length > 0 ? remote : names;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined)
    throw new AssayError('USAGE', `"${file}" has no server.`, { hint: 'Add one to `mcp_servers`.' });
  const hint = isRemote
    ? `Name the one that is meant: assay mcp login ${file} ${only}`
    : 'Give the URL or the command line of the one that is meant.';
  throw new AssayError('USAGE', `"${file}" has several servers: ${[only, ...others].join(', ')}.`, { hint });
}

/** A module without a default export may be a server, which must not run in this process. */
async function readModule(file: string, cwd: string): Promise<ParsedSource> {
  const text = await readText(file, cwd);
  if (!/\bexport\s*(?:default\b|\{[^}]*\bas\s+default\b)/.test(text))
    throw new AssayError('USAGE', `"${file}" has no default export, so it is not a config file.`, {
      hint: `Start it as a server with: assay mcp check -- node ${file}`,
    });
  const { readModuleSource } = await import('../../../../load/sources/module-source.ts');
  return readModuleSource(file, cwd, { subject: 'the config', code: 'CONFIG_INVALID' });
}

function configError(
  file: string,
  source: ParsedSource,
  data: Readonly<Record<string, unknown>>,
  error: Parameters<typeof problemsOf>[0],
  path: readonly string[],
): AssayError {
  if (['server', 'command', 'url', 'transport', 'mcp_servers'].some((key) => key in data))
    return new ProblemsError(problemsOf(error, source, serverDefinitionSchema(), path));
  const message = `"${file}" has no server definition.`;
  return new AssayError('USAGE', message, { hint: 'Add the key `server`.' });
}

function plain(data: unknown, options: DefinitionOptions, cwd: string): NamedServer {
  const parsed = serverDefinitionSchema().safeParse(withOptions(data, options));
  if (parsed.success) return { definition: parsed.data, directory: cwd, knownArguments: new Map() };
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new AssayError('USAGE', `Invalid server: ${place === '' ? '' : `${place}: `}${issue?.message ?? ''}`);
}

function jsonDefinition(text: string): unknown {
  try {
    const data: unknown = JSON.parse(text);
    return isRecord(data) && isRecord(data.server) ? data.server : data;
  } catch (error) {
    throw new AssayError('USAGE', `The server definition is not JSON: ${String(error)}`);
  }
}

/** The definition with the additions and overrides of the command line. */
function withOptions(data: unknown, { header, env, transport }: DefinitionOptions): unknown {
  if (!isRecord(data)) return data;
  return {
    ...data,
    ...(transport !== undefined && { transport }),
    ...(header && { headers: { ...(isRecord(data.headers) ? data.headers : {}), ...header } }),
    ...(env && { env: { ...(isRecord(data.env) ? data.env : {}), ...env } }),
  };
}

function knownArguments({ toolHealthSuites }: Readonly<Record<string, unknown>>): Map<string, Arguments[]> {
  const byTool = new Map<string, Arguments[]>();
  const suites = Array.isArray(toolHealthSuites) ? toolHealthSuites.filter(isRecord) : [];
  for (const { tests } of suites) {
    for (const test of Array.isArray(tests) ? tests.filter(isRecord) : []) {
      const { name, args, expectedError } = test;
      if (typeof name !== 'string' || !isRecord(args) || expectedError !== undefined) continue;
      byTool.set(name, [...(byTool.get(name) ?? []), args]);
    }
  }
  return byTool;
}
