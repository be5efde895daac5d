import type { KnownTools } from '../../../../domain/tools/known-tools.ts';
import type { Persona } from '../../../../drive/conversation/conversation-config.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { NamedConnector } from './connectors-section.ts';

/**
 * The tools that the connectors of a conversation offer, as far as its file names them. They are all that there can be
 * where each connector is a model whose tools Assay runs, and none of them is a server whose tools are not known yet.
 */
export function offeredTools(connectors: readonly NamedConnector[], users: Iterable<Persona>): KnownTools {
  const offered = connectors.map(({ spec }) => spec.toolLoop?.tools ?? []);
  // A tool of the user is a name that there is: an assertion may say that the agent does not call it.
  const ofUsers = [...users].flatMap(({ toolLoop }) => toolLoop?.tools ?? []);
  const tools = [...offered.flat(), ...ofUsers].flatMap(({ name, only = [] }) => [
    ...(name === undefined ? [] : [name]),
    ...only,
  ]);
  const isComplete = connectors.every(
    ({ spec }, index) => !hasOwnRequest(spec.config) && isNamedList(offered[index] ?? []),
  );
  return { tools: tools.map((tool) => ({ tool })), isComplete };
}

function isNamedList(
  tools: readonly { readonly name?: string | undefined; readonly only?: readonly string[] | undefined }[],
): boolean {
  return tools.length > 0 && tools.every(({ name, only }) => name !== undefined || only !== undefined);
}

/** Fields of the request that the file sets itself may offer tools of the provider. */
function hasOwnRequest(config: unknown): boolean {
  return isRecord(config) && config.body !== undefined;
}
