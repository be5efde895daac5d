import type { McpServers } from '../../../../src/entry/server/api/system.ts';

export type McpServer = McpServers['servers'][number];

/** The servers that have a text in their name, whole; of others the tools that have it. */
export function foundServers(servers: readonly McpServer[], text: string): readonly McpServer[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return servers;
  return servers.flatMap((server) => {
    const names = [server.label, server.name ?? '', server.file ?? ''];
    if (names.some((name) => name.toLowerCase().includes(wanted))) return [server];
    const tools = server.tools.filter(({ name }) => name.toLowerCase().includes(wanted));
    return tools.length > 0 ? [{ ...server, tools }] : [];
  });
}
