import { isRecord } from '../../shared/json.ts';

/** Keys of `_meta` in versions from 2026-07-28 on. */
export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The `_meta` of parameters or of a result. */
export function metaOf(part: unknown): Readonly<Record<string, unknown>> {
  return isRecord(part) && isRecord(part._meta) ? part._meta : {};
}

/** Whether parameters are those of a request that stands for itself: it then names its version. */
export function isModernRequest(params: unknown): boolean {
  return metaOf(params)[metaKeys.version] !== undefined;
}

/** Notifications of changed lists: the capability that says that they come, and what `subscriptions/listen` calls them. */
export const listChanges = [
  { notification: 'notifications/tools/list_changed', capability: 'tools', key: 'toolsListChanged' },
  { notification: 'notifications/prompts/list_changed', capability: 'prompts', key: 'promptsListChanged' },
  { notification: 'notifications/resources/list_changed', capability: 'resources', key: 'resourcesListChanged' },
] as const;

/** Whether a server says that it reports changes of such a list. */
export function reportsChanges(capabilities: unknown, { capability }: (typeof listChanges)[number]): boolean {
  const offered = isRecord(capabilities) ? capabilities[capability] : undefined;
  return isRecord(offered) && offered.listChanged === true;
}

/** The capability of the client that each kind of input belongs to, which a server requests of it. */
export const inputCapabilities: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** The requests whose result may be that the server needs input first. */
export const mayNeedInput: ReadonlySet<unknown> = new Set(['tools/call', 'prompts/get', 'resources/read']);
