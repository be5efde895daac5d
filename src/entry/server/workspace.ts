import type { Hono } from 'hono';
import type { Collector } from '../../compose/collect/collector.ts';
import { openProject } from '../../compose/config/project.ts';
import { findProjects, onlyProject, type WorkspaceProject } from '../../compose/config/workspace.ts';
import { AssayError } from '../../domain/errors.ts';
import { formatProblem, inReadingOrder } from '../../domain/problem.ts';
import { counted } from '../../shared/format.ts';
import { IssuedTokens } from './access/issued-tokens.ts';
import type { ProjectList } from './api/access.ts';
import { createApp } from './app.ts';
import type { ServerContext } from './context.ts';
import type { GuardSettings } from './guard.ts';
import { type ContextOptions, type OpenContext, openContext } from './open-context.ts';
import { Refusal } from './refusal.ts';
import { ServedCollector } from './served-collector.ts';
import type { WebFiles } from './web-files.ts';

/** The folder to serve, and whether projects below it are served too. */
export interface WorkspaceOptions extends Omit<ContextOptions, 'projects' | 'tokens'> {
  readonly isWorkspace?: boolean | undefined;
  /** Receives what goes wrong beside the requests. */
  warn(message: string): void;
}

/** The projects of a folder. Each is opened by its first request, with its own config, store and runs. */
export class Workspace implements AsyncDisposable {
  readonly #options: WorkspaceOptions;
  readonly #opened = new Map<string, Promise<OpenContext>>();
  readonly #apps = new Map<string, Promise<Hono>>();
  readonly #collectors = new Map<string, Promise<ServedCollector>>();
  #home: { readonly project: WorkspaceProject; readonly context: ServerContext } | undefined;

  private constructor(options: WorkspaceOptions) {
    this.#options = options;
  }

  /** Opens the first project that can be opened; it answers requests that name none. */
  static async open(options: WorkspaceOptions): Promise<Workspace> {
    const workspace = new Workspace(options);
    const projects = await workspace.#projects();
    assertOwnStores(projects, options);
    let problem: unknown;
    for (const project of projects.filter((each) => each.problem === null)) {
      try {
        const { context } = await workspace.#context(project);
        workspace.#home = { project, context };
        await workspace.#warnOfRules(projects);
        return workspace;
      } catch (error) {
        problem ??= error;
      }
    }
    throw problem;
  }

  /** The app of the first project, which also hands requests to those of the others. */
  app(settings: GuardSettings, webFiles: WebFiles): Hono {
    if (!this.#home) throw new AssayError('INTERNAL', 'The workspace has no open project.');
    return createApp(this.#home.context, settings, webFiles, async (id) => {
      const project = (await this.#projects()).find((each) => each.id === id);
      return project && this.#appOf(project, settings, webFiles);
    });
  }

  /** The collector of a project, or of the first one; opened by its first request. */
  async collector(id: string | undefined): Promise<Collector> {
    const projects = await this.#projects();
    const project = id === undefined ? this.#home?.project : projects.find((each) => each.id === id);
    if (!project) throw new Refusal(404, 'NOT_FOUND', `There is no project "${id}".`);
    const served = await remembered(this.#collectors, project.id, async () => {
      const { context } = await this.#context(project);
      return new ServedCollector(context, this.#options.warn);
    });
    return served.current();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const opening of this.#collectors.values()) {
      const collector = await opening.catch(() => undefined);
      await collector?.[Symbol.asyncDispose]();
    }
    for (const opening of this.#opened.values()) {
      const opened = await opening.catch(() => undefined);
      await opened?.[Symbol.asyncDispose]();
    }
  }

  /** Found again at each call, so a new project is served without a restart. */
  async #projects(): Promise<readonly WorkspaceProject[]> {
    const { folder, isWorkspace } = this.#options;
    return isWorkspace ? findProjects(folder) : onlyProject(folder);
  }

  /** A wrong rule keeps traces out, and is said before any arrives. */
  async #warnOfRules(projects: readonly WorkspaceProject[]): Promise<void> {
    const { env, warn } = this.#options;
    const { checkRules } = await import('../../compose/rules/prepare-rules.ts');
    for (const { folder, problem } of projects) {
      const project = problem === null ? await openProject(folder, env).catch(() => undefined) : undefined;
      const problems = project ? (await checkRules(project, env)).problems : [];
      if (problems.length === 0) continue;
      warn(`Traces are refused until the rules are right:\n${inReadingOrder(problems).map(formatProblem).join('\n')}`);
    }
  }

  #appOf(project: WorkspaceProject, settings: GuardSettings, webFiles: WebFiles): Promise<Hono> {
    return remembered(this.#apps, project.id, async () => {
      const { context } = await this.#context(project);
      return createApp(context, settings, webFiles);
    });
  }

  #context(project: WorkspaceProject): Promise<OpenContext> {
    if (project.problem !== null) throw new Refusal(409, 'PROJECT_UNUSABLE', project.problem);
    const { env, storeUrl, folder } = this.#options;
    const [tokens, projects] = [new IssuedTokens(folder), () => this.#list(project.id)];
    return remembered(this.#opened, project.id, () =>
      openContext({ folder: project.folder, env, storeUrl, tokens, projects }),
    );
  }

  async #list(currentId: string): Promise<ProjectList> {
    const items = (await this.#projects()).map(({ id, name, path, problem }) => ({
      id,
      name,
      folder: path,
      path: `/projects/${id}`,
      isCurrent: id === currentId,
      problem,
    }));
    return { items };
  }
}

/** A value that is made once; a failure is not remembered, because files can be corrected. */
function remembered<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const found = known.get(key);
  if (found) return found;
  const made = make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}

/** One store for several projects would mix their runs. */
function assertOwnStores(projects: readonly WorkspaceProject[], { storeUrl, env }: WorkspaceOptions): void {
  if (projects.length < 2 || (storeUrl === undefined && env.ASSAY_STORE === undefined)) return;
  const where = storeUrl === undefined ? 'ASSAY_STORE' : '--store';
  throw new AssayError('USAGE', `${where} names one store for ${counted(projects.length, 'project')}.`, {
    hint: 'Set `store` in the config of each project instead.',
  });
}
