import type { AgentView } from '../../../domain/agent-view.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import { isHttpServer } from '../../mcp/server-definition.ts';
import { type AllowedHost, type Network, parseHost } from '../../network/network-policy.ts';
import type { RequestWatch } from '../../network/request-watch.ts';
import { TrialNetwork } from '../../network/trial-network.ts';
import type { Isolation, TrialSystem } from '../../workspace/isolation.ts';
import type { AgentRun } from './agent-run.ts';
import type { ModelGateway } from './model-gateway.ts';
import { cannotReplay, mustNotReachModel } from './model-recording.ts';

/** Refused hosts beyond these are not listed: an agent could try any number of them. */
const mostRefusals = 20;

/**
 * Network of the agent: the scenario decides before the project. A replay never spends: an agent whose model calls
 * could not be answered from the recording reaches no provider.
 */
export function networkOf(run: AgentRun, isolation: Isolation): Network {
  const wanted = run.config.network ?? run.work.network;
  if (wanted === 'none' || !mustNotReachModel(run)) return wanted;
  if (!canLimit(isolation)) throw cannotReplay(run, isolation);
  return 'model-only';
}

function canLimit({ wrapOffline, openSystem }: Isolation): boolean {
  return wrapOffline !== undefined || openSystem !== undefined;
}

/** The name of a network in the trace. */
export function networkName(network: Network): AgentView['network'] {
  return typeof network === 'string' ? network : 'allow-list';
}

/** Throws where the network cannot be limited as wanted: it is never left open instead. */
export function assertCanLimit(run: AgentRun, network: Network, isolation: Isolation, hasRoute: boolean): void {
  if (network === 'open') return;
  const wanted = `\`network: ${networkName(network)}\``;
  if (!canLimit(isolation)) {
    throw new AssayError(
      'ISOLATION_UNAVAILABLE',
      `${wanted} cannot be enforced with isolation "${isolation.tier}", so the agent was not started.`,
      { hint: 'Use `isolation: bubblewrap` or `container`, or `network: open`; run `assay doctor` to see what works.' },
    );
  }
  const { agent, config, needsOpenNetwork } = run;
  if (needsOpenNetwork !== undefined) {
    throw new AssayError(
      'CONFIG_INVALID',
      `${needsOpenNetwork} needs \`network: open\`, and this trial has ${wanted}.`,
      {
        hint: 'Leave it out, or open the network: it leads around the limit.',
      },
    );
  }
  const needsModel = !agent.kind.isScripted && (hasRoute || agent.kind.modelApi?.api !== null);
  if (network === 'none' && needsModel) {
    throw new AssayError('CONFIG_INVALID', `With ${wanted} the agent "${agent.kind.name}" cannot reach its model.`, {
      hint: 'Use `network: model-only`.',
    });
  }
  if (network === 'model-only' && needsModel && !hasRoute) {
    throw new AssayError(
      'ISOLATION_UNAVAILABLE',
      `${wanted} needs the gateway, and the agent "${agent.kind.name}" does not go through it.`,
      { hint: 'Use the gateway for this agent, or name its provider: `network: { allow: [api.example.com] }`.' },
    );
  }
  const remote = Object.entries(config.mcpServers).find(([, { definition }]) => isHttpServer(definition));
  if (network === 'none' && remote) {
    throw new AssayError('CONFIG_INVALID', `With ${wanted} the MCP server "${remote[0]}" cannot be reached.`, {
      hint: 'Use `network: model-only`, which lets the agent reach its MCP servers too.',
    });
  }
}

/** Surroundings of a network: what looks at its requests, and the system that it is for. */
interface AroundNetwork {
  readonly watch?: RequestWatch | undefined;
  readonly system: TrialSystem | undefined;
}

/** The separate network of a trial; undefined where it uses that of the machine. */
export function openTrialNetwork(
  network: Network,
  gateway: Pick<ModelGateway, 'door'> | undefined,
  servers: AgentRun['config']['mcpServers'],
  emit: EmitTrace,
  { watch, system }: AroundNetwork,
): TrialNetwork | undefined {
  const services = system?.services ?? [];
  // A container with services has its own loopback, where the gateway is not.
  if (network === 'open' && (services.length === 0 || !gateway)) return undefined;
  const refused = new Set<string>();
  const otherHosts = serverHosts(servers).filter(({ name }) => !services.includes(name));
  return new TrialNetwork({
    watch,
    gateway: network === 'none' ? undefined : gateway?.door,
    allowed: network === 'none' || network === 'open' ? [] : [...allowedBy(network), ...otherHosts],
    direct: services,
    onRefused: (destination) => {
      if (refused.has(destination) || refused.size >= mostRefusals) return;
      refused.add(destination);
      emit({ type: 'notice', message: `The network of the trial refused a connection to ${destination}.` });
    },
  });
}

function allowedBy(network: Network): AllowedHost[] {
  return typeof network === 'string' ? [] : network.allow.map(parseHost);
}

/** The MCP servers that the scenario names by their addresses: what is under test must be reached. */
function serverHosts(servers: AgentRun['config']['mcpServers']): AllowedHost[] {
  return Object.values(servers).flatMap(({ definition }) => {
    if (!isHttpServer(definition) || !URL.canParse(definition.url)) return [];
    const { host, protocol } = new URL(definition.url);
    const { name, port = protocol === 'https:' ? 443 : 80 } = parseHost(host);
    return [{ name, port }];
  });
}
