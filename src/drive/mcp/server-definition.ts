import * as z from 'zod';
import { isRecord } from '../../shared/json.ts';
import { mockedServerKeys } from '../tool-control/mocked-server-keys.ts';
import { oauthSettingsSchema } from './authorization/oauth-settings.ts';
import { modernVersions } from './protocol-versions.ts';

const otherSpellings: Readonly<Record<string, string>> = { http: 'shttp', 'streamable-http': 'shttp' };

/** Infers a missing `transport`: a command is started, a URL is reached over streamable HTTP. */
function withTransport(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { transport, ...rest } = value as { transport?: unknown };
  if (typeof transport === 'string') return { transport: otherSpellings[transport] ?? transport, ...rest };
  if (transport !== undefined) return value;
  if ('command' in rest) return { transport: 'stdio', ...rest };
  return 'url' in rest ? { transport: 'shttp', ...rest } : value;
}

/** Marks a key of a schema that is inferred from the others where a file leaves it out. */
export const inferredKey = { isInferred: true } as const;

const protocols = ['auto', 'legacy', 'modern', ...modernVersions] as const;

/** How an MCP server is started or reached, as in files; `${VAR}` is not expanded yet. */
export function serverDefinitionSchema() {
  const headers = z
    .record(z.string(), z.string())
    .default({})
    .describe('headers of every request; `${VAR}` is expanded');
  const url = z.url({ protocol: /^https?$/ }).describe('address of the server');
  const oauth = oauthSettingsSchema()
    .optional()
    .describe('how tokens are got; a server that needs none or a login with `assay mcp login` needs no settings');

  const shared = {
    toolChanges: z
      .enum(['accept', 'refuse'])
      .optional()
      .describe(
        'changes of tools that the server announces with `list_changed` during a run: `accept` (the default), or `refuse`; others are always refused',
      ),
  };
  const protocol = z
    .enum(protocols)
    .optional()
    .describe(
      'protocol that is spoken: until 2025-11-25 (`legacy`), from 2026-07-28 on (`modern`), one version, or what the server has (`auto`, the default)',
    );

  const stdioSchema = z.strictObject({
    transport: z.literal('stdio').meta(inferredKey),
    command: z.string().min(1).describe('program that is started; `node` is the Node.js that runs Assay'),
    args: z.array(z.string()).default([]).describe('arguments of the program'),
    env: z.record(z.string(), z.string()).default({}).describe('environment variables beside those of Assay'),
    cwd: z
      .string()
      .optional()
      .describe('folder that it starts in, relative to the file; by default the folder of the file'),
    ...shared,
    protocol,
  });

  const streamableHttpSchema = z.strictObject({
    transport: z.literal('shttp').meta(inferredKey),
    url,
    headers,
    oauth,
    protocol,
    ...shared,
  });

  const sseSchema = z.strictObject({
    transport: z.literal('sse'),
    url,
    headers,
    oauth,
    reconnect: z.boolean().default(true).describe('whether a lost connection is opened again'),
    reconnectInterval: z.int().min(100).default(5_000).describe('milliseconds between two attempts'),
    maxReconnectAttempts: z.int().min(0).default(10).describe('most attempts to open it again'),
    ...shared,
  });

  const mockSchema = z.strictObject({ transport: z.literal('mock'), ...mockedServerKeys(), protocol, ...shared });

  return z.preprocess(
    withTransport,
    z.discriminatedUnion('transport', [stdioSchema, streamableHttpSchema, sseSchema, mockSchema]),
  );
}

export type ServerDefinition = z.output<ReturnType<typeof serverDefinitionSchema>>;

/** The MCP servers in the config of a target, which was checked when the scenario was loaded. */
export function serversIn(config: unknown): ServerDefinition[] {
  const { server, mcpServers } = isRecord(config) ? config : {};
  const only = isRecord(server) && 'transport' in server ? [server] : [];
  const several = isRecord(mcpServers) ? Object.values(mcpServers).map(withTransport) : [];
  return [...only, ...several] as ServerDefinition[];
}

/** A server that is reached by its URL. */
export type HttpServerDefinition = Extract<ServerDefinition, { readonly url: string }>;

export function isHttpServer(definition: ServerDefinition): definition is HttpServerDefinition {
  return definition.transport === 'shttp' || definition.transport === 'sse';
}

/** Names of the environment variables that hold the credentials of a server. */
export function oauthVariables(definition: ServerDefinition): string[] {
  const { clientSecretEnv, refreshTokenEnv } = (isHttpServer(definition) && definition.oauth) || {};
  return [clientSecretEnv, refreshTokenEnv].filter((name) => name !== undefined);
}

/** How a server is called in messages: its program with arguments, or its address without query and password. */
export function serverLabel(definition: ServerDefinition): string {
  if (definition.transport === 'stdio') return [definition.command, ...definition.args].join(' ');
  if (definition.transport === 'mock') return `${definition.name} (mocked)`;
  const { origin, pathname } = new URL(definition.url);
  return `${origin}${pathname}`;
}
