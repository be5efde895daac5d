import type { AgentMcpServer, AgentSession } from '../agent.ts';
import { fitsArgument } from '../stream-agent.ts';

/** The settings file of Gemini CLI and of what was made from it: nothing is asked, nothing is sent to its makers. */
export function geminiSettings(session: AgentSession, authType: string): string {
  const servers = Object.entries(session.mcpServers).map(([name, server]) => [name, mcpServer(server)]);
  return JSON.stringify({
    security: { auth: { selectedType: authType }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    model: {
      ...(session.model === undefined ? {} : { name: session.model }),
      ...(session.maxTurns === undefined ? {} : { maxSessionTurns: session.maxTurns }),
    },
    mcpServers: Object.fromEntries(servers),
  });
}

function mcpServer(server: AgentMcpServer): object {
  if (!('url' in server)) return { ...server, trust: true };
  return { httpUrl: server.url, headers: server.headers, trust: true };
}

/** How the prompt gets there: as an argument, or through stdin when it is too long for one. */
export function geminiPrompt(prompt: string): { readonly args: readonly string[]; readonly stdin: string } {
  if (!fitsArgument(prompt)) return { args: [], stdin: prompt };
  // A prompt that begins with a dash would be taken for an option of its own.
  return { args: prompt.startsWith('-') ? [`--prompt=${prompt}`] : ['-p', prompt], stdin: '' };
}
