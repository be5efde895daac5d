import type { AgentView } from './agent-view.ts';

const roots: Readonly<Record<AgentView['root'], string>> = {
  system: 'system folders of the machine',
  machine: 'all of the machine',
  image: 'the image',
};

/** A view in words. */
export function describeView(view: AgentView): string {
  const modes = { read: 'reads', write: 'writes', hidden: 'does not see' };
  const places = Object.entries(modes).flatMap(([mode, verb]) => {
    const paths = view.places.filter((place) => place.mode === mode).map(({ path }) => path);
    return paths.length === 0 ? [] : [`${verb} ${paths.join(', ')}`];
  });
  const network = [view.network, ...(view.hosts ?? [])].join(' ');
  return [roots[view.root], ...places, `variables ${view.variables.join(', ')}`, `network ${network}`].join('; ');
}

/** The parts of a view, each as a text; two views are the same where their parts are. */
export function partsOfView({ root, places, variables, network, hosts = [] }: AgentView): string[] {
  return [
    `root ${root}`,
    ...places.map(({ path, mode }) => `${mode} ${path}`),
    ...variables.map((name) => `variable ${name}`),
    `network ${network}`,
    ...hosts.map((host) => `host ${host}`),
  ];
}
