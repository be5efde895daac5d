import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { AgentView } from '../../../domain/agent-view.ts';
import type { IsolationTier } from '../../../domain/isolation-tier.ts';
import { isHttpServer } from '../../mcp/server-definition.ts';
import type { Network } from '../../network/network-policy.ts';
import {
  isInSystem,
  nestedPlaces,
  type Place,
  systemPlaces,
  temporaryFolders,
} from '../../workspace/bubblewrap-mounts.ts';
import type { IsolatedFolders } from '../../workspace/isolated-folders.ts';
import { isInside } from '../../workspace/room-base.ts';
import { type AgentRun, foldersOf } from './agent-run.ts';
import { networkName } from './limited-network.ts';

const roots: Readonly<Record<IsolationTier, AgentView['root']>> = {
  bubblewrap: 'system',
  container: 'image',
  process: 'machine',
  none: 'machine',
};

/** The folders for temporary files that are the trial's own. */
const temporaryOf: Readonly<Record<AgentView['root'], readonly string[]>> = {
  system: temporaryFolders,
  image: ['/tmp'],
  machine: [],
};

interface ViewParts {
  readonly tier: IsolationTier;
  readonly folders: IsolatedFolders;
  readonly env: Readonly<Record<string, string>>;
  readonly network: Network;
}

/** The view of the agent, in which places that differ between projects, users and trials have the same names. */
export function agentView(run: AgentRun, { tier, folders, env, network }: ViewParts): AgentView {
  const root = roots[tier];
  const named = namesOf(run);
  const { directory, home, tmp, writable } = folders;
  const written = [...temporaryOf[root], ...new Set([directory, home, tmp, ...writable].map(named))].sort();
  const hosts = hostsOf(run, network);
  return {
    root,
    places: [
      ...written.map((path) => ({ path, mode: 'write' as const })),
      ...(root === 'machine' ? [] : shownPlaces(run, root, folders).filter(({ path }) => !written.includes(path))),
    ],
    variables: Object.keys(env).sort(),
    network: networkName(network),
    ...(hosts.length > 0 && { hosts }),
  };
}

/** Exchanges the folders of a trial, its project and its user at the beginning of paths for their names. */
export function namesOf(run: AgentRun): (path: string) => string {
  const { room, context } = run;
  const { HOME: userHome = homedir() } = context.env;
  const folders = Object.entries({ ...foldersOf(run), rooms: dirname(dirname(room.folder)), userHome });
  const innerFirst = folders.sort(([, a], [, b]) => b.length - a.length);
  return (path) => {
    const [name, folder = ''] = innerFirst.find(([, around]) => isInside(path, around)) ?? [];
    return name === undefined ? path : join(`<assay:${name}>`, relative(folder, path));
  };
}

/** Places by name: how they lie to each other on this machine must not matter. */
function shownPlaces(
  run: AgentRun,
  root: AgentView['root'],
  { readable = [], hidden = [] }: IsolatedFolders,
): AgentView['places'] {
  const named = namesOf(run);
  const isMounted = (path: string): boolean => root === 'system' || !isInSystem(path);
  const places = [
    ...hidden.map((path): Place => placeOf(named(path), 'hidden')),
    ...readable.filter(isMounted).map((path): Place => placeOf(named(path), 'visible')),
    ...(run.config.mounts ?? []).map(({ to }): Place => placeOf(to, 'visible')),
  ];
  const base = root === 'system' ? systemPlaces() : [placeOf('/', 'hidden')];
  return nestedPlaces(places, base)
    .map(({ path, kind }) => ({
      path: path.replace(/^\/(?=<assay:)/, ''),
      mode: kind === 'visible' ? ('read' as const) : ('hidden' as const),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function placeOf(path: string, kind: Place['kind']): Place {
  const absolute = path.startsWith('/') ? path : `/${path}`;
  return { path: absolute, kind, source: absolute };
}

function hostsOf({ config, system }: AgentRun, network: Network): string[] {
  const services = system?.services ?? [];
  if (network === 'open' || network === 'none') return [...services];
  const servers = Object.values(config.mcpServers).flatMap(({ definition }) =>
    isHttpServer(definition) && URL.canParse(definition.url) ? [new URL(definition.url).host] : [],
  );
  return [...new Set([...(typeof network === 'string' ? [] : network.allow), ...servers, ...services])].sort();
}
