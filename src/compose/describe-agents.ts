import { asAssayError } from '../domain/errors.ts';
import type { Project } from './config.ts';
import { ProjectAgents } from './project-agents.ts';

/** An agent as `assay agents` tells of it. */
export interface AgentDescription {
  readonly name: string;
  readonly kind: string | null;
  readonly summary: string;
  readonly isUsable: boolean;
  readonly version: string | null;
  readonly program: string | null;
  /** What keeps it from being used, and what to do about it. */
  readonly problem: string | null;
  readonly hint: string | null;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Every agent of a project, and whether it can be used here. */
export async function describeAgents(project: Project, env: Env): Promise<AgentDescription[]> {
  const { agentKinds } = await import('../drive/agents/index.ts');
  const agents = new ProjectAgents(project, env);
  const summaryOf = (name: string): string =>
    [...agentKinds, ...project.parts.agents].find((kind) => kind.name === name)?.summary ?? '';
  const describe = async (name: string): Promise<AgentDescription> => {
    const kindName = project.config.agents[name]?.kind ?? name;
    try {
      const { kind, version, program } = await agents.find(name);
      const facts = { kind: kind.name, summary: kind.summary, version, program };
      return { name, ...facts, isUsable: true, problem: null, hint: null };
    } catch (error) {
      const { message, hint } = asAssayError(error);
      const facts = { kind: null, summary: summaryOf(kindName), version: null, program: null };
      return { name, ...facts, isUsable: false, problem: message, hint };
    }
  };
  return Promise.all((await agents.ids()).map(describe));
}
