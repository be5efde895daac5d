import * as z from 'zod';

/** Everything that an agent could see. Folders that lie elsewhere in every trial stand by name, such as `<assay:work>`. */
export const agentViewSchema = z.object({
  root: z
    .enum(['system', 'machine', 'image'])
    .describe(
      'what lies beside the places: read-only folders of the system, all that the user may use, or the image of the container',
    ),
  places: z
    .array(z.object({ path: z.string(), mode: z.enum(['read', 'write', 'hidden']) }))
    .describe('files and folders that the trial was given, and those in them that were hidden'),
  variables: z.array(z.string()).describe('names of the environment variables'),
  network: z.enum(['open', 'model-only', 'allow-list', 'none']).describe('what the agent could reach'),
  hosts: z.array(z.string()).optional().describe('hosts of the allow-list and of MCP servers'),
});
export type AgentView = z.infer<typeof agentViewSchema>;

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
