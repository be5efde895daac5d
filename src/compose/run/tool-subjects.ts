import type { Scenario } from '../../domain/scenario.ts';
import type { TapedSubject } from '../../domain/tape.ts';
import type { ConversationConfig } from '../../drive/conversation/conversation-config.ts';
import { subjectFile } from '../../drive/tape/tape-text.ts';
import { isRecord } from '../../shared/json.ts';
import { namesSecret } from '../../shared/redaction/assigned-secrets.ts';
import { CalledFiles } from './called-files.ts';

/** Settings that the answers of tools depend on; `content` stands for very many of them. */
const toolSetting =
  /^(?:call|server|mcp_servers|target\.(?:binary|binaries|env)|content)(?:\.|$)|\.toolLoop\.tools(?:\.|$)/;
/** Settings that decide how long Assay waits. */
const waitingSetting = /timeout/i;
/** The keys of a target's config that are about its tools, where others are about the agent or the calls. */
const toolKeys: ReadonlySet<string> = new Set(['binary', 'binaries', 'env', 'mcpServers', 'server']);

/** The tools of scenarios as they are now, by the names of the scenarios: their settings, and their files in the project. */
export async function toolSubjects(
  scenarios: readonly Scenario[],
  folder: string,
): Promise<ReadonlyMap<string, TapedSubject>> {
  const files = new CalledFiles(folder);
  const subjects = new Map<string, TapedSubject>();
  for (const { name, target, directory, identity } of scenarios) {
    const settings = Object.entries(identity?.subject ?? {}).filter(([path]) => isToolSetting(path));
    const called = await files.of({ target: { ...target, config: toolConfig(target) }, directory });
    subjects.set(name, {
      ...Object.fromEntries(settings.map(([path, value]) => [path, value.replaceAll(folder, '.')])),
      ...Object.fromEntries(Object.entries(called ?? {}).map(([path, digest]) => [subjectFile(path), digest])),
    });
  }
  return subjects;
}

/** A secret may be another one where the recording is used, or absent. */
function isToolSetting(path: string): boolean {
  return toolSetting.test(path) && !waitingSetting.test(path) && !path.split('.').some(namesSecret);
}

function toolConfig({ type, config }: Scenario['target']): unknown {
  if (type === 'conversation') return toolsOfLoops(config);
  if (!isRecord(config) || (type !== 'cli-tool' && !type.startsWith('mcp-'))) return config;
  return Object.fromEntries(Object.entries(config).filter(([key]) => toolKeys.has(key)));
}

/** The tools of each connector and persona that Assay runs for them. */
function toolsOfLoops(config: unknown): unknown[] {
  const { connectors, personas } = (isRecord(config) ? config : {}) as Partial<ConversationConfig>;
  return [connectors, personas].flatMap((parts) => Object.values(parts ?? {}).map(({ toolLoop }) => toolLoop?.tools));
}
