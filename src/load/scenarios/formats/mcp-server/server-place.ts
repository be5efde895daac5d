import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, resolve } from 'node:path';
import type { Problem } from '../../../../domain/problem.ts';
import type { ServerDefinition } from '../../../../drive/mcp/server-definition.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import type { ReadContext } from '../../scenario-format.ts';

type Stdio = Extract<ServerDefinition, { transport: 'stdio' }>;

/** A server, and what is to be said of where its program is looked for. */
export interface PlacedServer {
  readonly server: ServerDefinition;
  readonly warnings: readonly Problem[];
}

/** Programs that are given the name of a package or an image, not of a file. */
const packageRunners = ['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'uvx', 'uv', 'pipx', 'docker', 'podman', 'deno'];
const scriptEnding = /\.(?:[cm]?[jt]s|py|rb|sh)$/;

/**
 * Programs start in the folder of the file. Configs that were written for a start in the folder of the project are
 * started there, when the script is there and nowhere else.
 */
export function placeServer(server: ServerDefinition, source: ParsedSource, context: ReadContext): PlacedServer {
  if (server.transport !== 'stdio') return { server, warnings: [] };
  const missingCommand = commandProblem(server, source, context);
  const index = scriptIndex(server);
  const script = server.args[index];
  const start = resolve(context.directory, server.cwd ?? '.');
  if (script === undefined || existsSync(resolve(start, script))) return { server, warnings: missingCommand };
  if (server.cwd === undefined && existsSync(resolve(context.folder, script))) {
    return { server: { ...server, cwd: relative(context.directory, context.folder) || '.' }, warnings: missingCommand };
  }
  const message = `there is no \`${script}\` in ${relative(context.folder, start) || 'the folder of the project'}`;
  const hint = 'Paths are relative to the folder of the file, or to `cwd`.';
  return { server, warnings: [...missingCommand, { at: source.locate(['server', 'args', index]), message, hint }] };
}

/** The argument that names the script of an interpreter; -1 where there is none. */
function scriptIndex({ command, args }: Stdio): number {
  if (packageRunners.includes(command)) return -1;
  const index = args.findIndex((argument) => !argument.startsWith('-'));
  const named = args[index];
  return named !== undefined && !/\$\{|:\/\//.test(named) && scriptEnding.test(named) ? index : -1;
}

function commandProblem({ command, cwd = '.' }: Stdio, source: ParsedSource, context: ReadContext): Problem[] {
  const path = context.defaults.mcpServers?.env.PATH;
  if (command === 'node' || path === undefined || command.includes('${')) return [];
  const isPath = command.includes('/') || isAbsolute(command);
  const places = isPath
    ? [resolve(context.directory, cwd, command)]
    : path.split(delimiter).map((folder) => join(folder, command));
  if (process.platform === 'win32' || places.some((place) => existsSync(place))) return [];
  const message = isPath ? `there is no program \`${command}\`` : `there is no program \`${command}\` on PATH`;
  return [{ at: source.locate(['server', 'command']), message }];
}
