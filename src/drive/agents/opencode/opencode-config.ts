import type { AgentMcpServer, AgentSession } from '../agent.ts';
import { modelOf, openaiBaseUrl } from '../openai-server.ts';

/** The config file of OpenCode: nothing is asked, shared or fetched, and keys stay in the environment. */
export function opencodeConfig(session: AgentSession): string {
  const servers = Object.entries(session.mcpServers).map(([name, server]) => [name, mcpServer(server)]);
  return JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    permission: 'allow',
    ...modelSettings(session),
    mcp: Object.fromEntries(servers),
  });
}

/** With an address of its own, the model is named as the server there names it. */
function modelSettings(session: AgentSession): object {
  const baseURL = openaiBaseUrl(session);
  if (baseURL === undefined) return session.model === undefined ? {} : { model: session.model };
  const model = modelOf(session, 'opencode');
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: 'assay',
    options: { baseURL, apiKey: '{env:OPENAI_API_KEY}' },
    models: { [model]: { name: model } },
  };
  return { model: `assay/${model}`, small_model: `assay/${model}`, provider: { assay: provider } };
}

function mcpServer(server: AgentMcpServer): object {
  if ('url' in server) return { type: 'remote', url: server.url, headers: server.headers, enabled: true };
  return { type: 'local', command: [server.command, ...server.args], environment: server.env, enabled: true };
}
