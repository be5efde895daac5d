import { resolve } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { ToolTapesRequest } from '../../domain/tool-control/replay.ts';
import { hasToolLoop } from '../../drive/conversation/conversation-config.ts';
import type { ToolTapes } from '../../drive/tape/tool-tapes.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import type { Project } from '../config/project.ts';

/** The recordings of the tool calls of a run, which are read before anything is run. */
export class RunTapes {
  readonly #project: Project;
  readonly #redact: Redact;
  #tapes: ToolTapes | undefined;

  constructor(project: Project, redact: Redact) {
    this.#project = project;
    this.#redact = redact;
  }

  /** Undefined where calls are neither recorded nor replayed. */
  readonly current = (): ToolTapes | undefined => this.#tapes;

  /** Throws where a recording cannot be used, or a scenario has tools that Assay does not stand in front of. */
  async open(request: ToolTapesRequest | undefined, scenarios: readonly Scenario[]): Promise<void> {
    if (!request) return;
    assertTapeable(request, scenarios);
    const { mode, folder: shownFolder } = request;
    const directory = resolve(this.#project.folder, shownFolder);
    const { readTapes } = await import('../../load/tapes/read-tapes.ts');
    const { ToolTapes } = await import('../../drive/tape/tool-tapes.ts');
    const { toolSubjects } = await import('./tool-subjects.ts');
    const tapes = await readTapes(directory, shownFolder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && mode === 'record') return [];
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
      if (mode === 'record') {
        const hint = 'Name a folder that can be written.';
        throw new AssayError('USAGE', `${shownFolder} is not a folder, so tool calls cannot be recorded in it.`, {
          hint,
        });
      }
      throw new AssayError('REPLAY_UNREADABLE', `There are no recordings of tool calls in ${shownFolder}.`, {
        hint: 'Record them with --record-tools.',
      });
    });
    const subjects = await toolSubjects(scenarios, this.#project.folder);
    this.#tapes = new ToolTapes({ mode, directory, shownFolder, tapes, redact: this.#redact, subjects });
  }
}

/** Targets whose tool calls can be recorded. */
const tapeable: ReadonlySet<string> = new Set(['cli-tool', 'module', 'command', 'http']);

/** A tool that only seems to be replayed would have side effects. */
function assertTapeable({ mode }: ToolTapesRequest, scenarios: readonly Scenario[]): void {
  const other = scenarios.find(
    ({ target: { type, config } }) => !tapeable.has(type) && !type.startsWith('mcp-') && !hasToolLoop(config),
  );
  if (!other) return;
  throw new AssayError(
    'USAGE',
    `--${mode}-tools is not for "${other.name}": Assay does not stand in front of its tools.`,
    {
      hint: 'Name the scenarios with MCP servers, CLI tools, a `toolLoop`, or tools that are called directly.',
    },
  );
}
