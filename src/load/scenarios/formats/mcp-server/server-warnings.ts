import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, resolve } from 'node:path';
import type { Problem } from '../../../../domain/problem.ts';
import { isHttpServer, type ServerDefinition } from '../../../../drive/mcp/server-definition.ts';
import { namesSecret, namesSecretHeader } from '../../../../shared/redaction/assigned-secrets.ts';
import { type DataPath, type ParsedSource, valueAt } from '../../../sources/parsed-source.ts';
import type { ReadContext } from '../../scenario-format.ts';
import type { McpServerConfig } from './mcp-server-schema.ts';

type Warning = Pick<Problem, 'message' | 'hint'>;

/** Suspicious settings that do not keep the file from running. */
export function startupWarnings(config: McpServerConfig, source: ParsedSource): Problem[] {
  const at = (path: DataPath, warning: Warning | undefined): Problem[] =>
    warning && valueAt(source.value, path) !== undefined ? [{ at: source.locate(path), ...warning }] : [];
  return [
    ...at(['server', 'url'], openNetwork(config)),
    ...at(['server', 'maxReconnectAttempts'], manyReconnects(config)),
    ...writtenSecrets(config).flatMap((path) => at(path, writtenSecret)),
    ...at(['timeout'], oddTimeout(config.timeout)),
    ...at(['passThreshold'], oddThreshold(config.passThreshold)),
  ];
}

const writtenSecret: Warning = {
  message: 'the file contains a secret: use `${NAME}` and set the variable in the environment',
};

/** Paths of literal secrets. */
function writtenSecrets({ server, openaiKey }: McpServerConfig): DataPath[] {
  const values = server.transport === 'stdio' ? server.env : isHttpServer(server) ? server.headers : {};
  const isSecret = server.transport === 'stdio' ? namesSecret : namesSecretHeader;
  const section = server.transport === 'stdio' ? 'env' : 'headers';
  const named = Object.entries(values).filter(([name, value]) => isSecret(name) && isWritten(value));
  const key: DataPath[] = openaiKey !== undefined && isWritten(openaiKey) ? [['openaiKey']] : [];
  return [...named.map(([name]) => ['server', section, name]), ...key];
}

function isWritten(value: string): boolean {
  return value.trim() !== '' && !/\$\{[^}]+\}/.test(value);
}

function openNetwork({ server }: McpServerConfig): Warning | undefined {
  if (!isHttpServer(server)) return undefined;
  const { protocol, hostname } = new URL(server.url);
  if (protocol !== 'http:' || isPrivateHost(hostname)) return undefined;
  return { message: `\`http\` to ${hostname}: keys and answers are not encrypted`, hint: 'Use https.' };
}

function isPrivateHost(hostname: string): boolean {
  return (
    /^(localhost|0\.0\.0\.0|127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.)/.test(hostname) ||
    /^\[(::1?|f[cd]|fe80)/i.test(hostname) ||
    /\.(localhost|local|internal|test|lan)$/.test(hostname) ||
    !/[.:]/.test(hostname)
  );
}

function manyReconnects({ server }: McpServerConfig): Warning | undefined {
  if (server.transport !== 'sse' || server.maxReconnectAttempts <= 50) return undefined;
  return {
    message: `${server.maxReconnectAttempts} attempts to reconnect delay a run whose server has ended`,
  };
}

function oddTimeout(timeoutMs: number): Warning | undefined {
  if (timeoutMs < 1_000) return { message: `\`timeout\` is in milliseconds: ${timeoutMs} ms is very short for a call` };
  return timeoutMs > 300_000
    ? { message: `\`timeout\` is in milliseconds: a call may take ${Math.round(timeoutMs / 1_000)} s` }
    : undefined;
}

function oddThreshold(threshold: number): Warning | undefined {
  if (threshold < 0.5) return { message: `with a \`passThreshold\` of ${threshold} bad results pass` };
  return threshold > 0.95 ? { message: `with a \`passThreshold\` of ${threshold} almost nothing passes` } : undefined;
}

type Stdio = Extract<ServerDefinition, { transport: 'stdio' }>;

/** Programs whose argument is a package or an image, not a file. */
const packageRunners = ['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'uvx', 'uv', 'pipx', 'docker', 'podman', 'deno'];
const scriptEnding = /\.(?:[cm]?[jt]s|py|rb|sh)$/;

/**
 * Programs start in the folder of the file. If the script exists only in the folder of the project,
 * they start there.
 */
export function placeServer(server: ServerDefinition, source: ParsedSource, context: ReadContext) {
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
  const hint = 'Check the path; it is relative to the folder of the file, or to `cwd`.';
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
