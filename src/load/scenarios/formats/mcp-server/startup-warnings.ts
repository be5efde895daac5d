import type { Problem } from '../../../../domain/problem.ts';
import { namesSecret, namesSecretHeader } from '../../../../shared/redaction/assigned-secrets.ts';
import { type DataPath, type ParsedSource, valueAt } from '../../../sources/parsed-source.ts';
import type { McpServerConfig } from './mcp-server-schema.ts';

type Said = Pick<Problem, 'message' | 'hint'>;

/** What can be run, but is hardly meant as it is written. */
export function startupWarnings(config: McpServerConfig, source: ParsedSource): Problem[] {
  const at = (path: DataPath, said: Said | undefined): Problem[] =>
    said && valueAt(source.value, path) !== undefined ? [{ at: source.locate(path), ...said }] : [];
  return [
    ...at(['server', 'url'], openNetwork(config)),
    ...at(['server', 'maxReconnectAttempts'], manyReconnects(config)),
    ...writtenSecrets(config).flatMap((path) => at(path, writtenSecret)),
    ...at(['timeout'], oddTimeout(config.timeout)),
    ...at(['passThreshold'], oddThreshold(config.passThreshold)),
  ];
}

const writtenSecret: Said = {
  message: 'a secret is written into the file: better name it as `${NAME}`, and set that in the environment',
};

/** Where secrets are written out instead of named. */
function writtenSecrets({ server, openaiKey }: McpServerConfig): DataPath[] {
  const values = server.transport === 'stdio' ? server.env : server.headers;
  const isSecret = server.transport === 'stdio' ? namesSecret : namesSecretHeader;
  const section = server.transport === 'stdio' ? 'env' : 'headers';
  const named = Object.entries(values).filter(([name, value]) => isSecret(name) && isWritten(value));
  const key: DataPath[] = openaiKey !== undefined && isWritten(openaiKey) ? [['openaiKey']] : [];
  return [...named.map(([name]) => ['server', section, name]), ...key];
}

function isWritten(value: string): boolean {
  return value.trim() !== '' && !/\$\{[^}]+\}/.test(value);
}

function openNetwork({ server }: McpServerConfig): Said | undefined {
  if (server.transport === 'stdio') return undefined;
  const { protocol, hostname } = new URL(server.url);
  if (protocol !== 'http:' || isPrivateHost(hostname)) return undefined;
  return { message: `\`http\` to ${hostname}: keys and answers can be read on the way`, hint: 'Use https.' };
}

function isPrivateHost(hostname: string): boolean {
  return (
    /^(localhost|0\.0\.0\.0|127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.)/.test(hostname) ||
    /^\[(::1?|f[cd]|fe80)/i.test(hostname) ||
    /\.(localhost|local|internal|test|lan)$/.test(hostname) ||
    !/[.:]/.test(hostname)
  );
}

function manyReconnects({ server }: McpServerConfig): Said | undefined {
  if (server.transport !== 'sse' || server.maxReconnectAttempts <= 50) return undefined;
  return {
    message: `${server.maxReconnectAttempts} attempts to reconnect keep a run waiting for a server that is gone`,
  };
}

function oddTimeout(timeoutMs: number): Said | undefined {
  if (timeoutMs < 1_000)
    return { message: `\`timeout\` is in milliseconds: ${timeoutMs} ms is hardly enough for a call` };
  return timeoutMs > 300_000
    ? { message: `\`timeout\` is in milliseconds: a call may take ${Math.round(timeoutMs / 1_000)} s` }
    : undefined;
}

function oddThreshold(threshold: number): Said | undefined {
  if (threshold < 0.5)
    return { message: `with a \`passThreshold\` of ${threshold} the judge passes what it finds bad` };
  return threshold > 0.95 ? { message: `with a \`passThreshold\` of ${threshold} hardly anything passes` } : undefined;
}
