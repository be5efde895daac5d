import { approvalsDetail } from '../../../features/approvals/report/approvals-detail.ts';
import { attackDetail } from '../../../features/attack/report/attack-detail.ts';
import { continuedDetail } from '../../../features/continued-trials/report/continued-detail.ts';
import { suspicionDetail } from '../../../features/suspicion/report/suspicion-detail.ts';
import type { Store } from '../../../keep/store/store.ts';
import type { Section } from '../../../shared/blocks/block.ts';
import type { RunFigures } from '../../compare/run-figures.ts';
import type { StoredRun } from '../reporter.ts';
import type { Detail, Medium } from './detail.ts';

const hasScenario =
  (isSuch: (scenario: StoredRun['summary']['run']['scenarios'][number]) => boolean): Detail['isIn'] =>
  ({ summary }) =>
    summary.run.scenarios.some(isSuch);

/** The sections that only some runs have, in their order. */
const details: readonly Detail[] = [
  {
    isIn: () => true,
    async sections(run, medium) {
      // A terminal has the failed criteria above, and no room for those that passed.
      if (medium === 'console') return (await import('./answers.ts')).answerSections(run);
      return (await import('./criteria.ts')).criteriaSections(run);
    },
  },
  attackDetail,
  {
    isIn: hasScenario(({ repeat }) => repeat > 1),
    async sections(_run, _medium, { repeats }) {
      return repeats ? [(await import('../../presentation/repeats-text.ts')).repeatsSection(repeats)] : [];
    },
  },
  {
    isIn: () => true,
    async sections(_run, _medium, { resilience }) {
      if (!resilience) return [];
      return resilience.map((await import('../../presentation/resilience-text.ts')).resilienceSection);
    },
  },
  {
    isIn: ({ summary }) => (summary.marks.mocked ?? 0) > 0,
    sections: async (run) => (await import('./mocks.ts')).mockSections(run),
  },
  {
    isIn: hasScenario(({ isConversation }) => isConversation),
    sections: async (run, medium) => (await import('./conversations.ts')).conversationSections(run, medium),
  },
  {
    isIn: hasScenario(({ isConversation }) => isConversation),
    sections: async (run) => (await import('./users.ts')).userSections(run),
  },
  {
    isIn: hasScenario(({ serverPart }) => serverPart !== null),
    sections: async (run, medium) => (await import('./mcp.ts')).mcpSections(run, medium),
  },
  approvalsDetail,
  continuedDetail,
  suspicionDetail,
  {
    isIn: hasScenario(({ isAgentDriven }) => isAgentDriven),
    sections: async (run) => (await import('./guidance.ts')).guidanceSections(run),
  },
  {
    isIn: hasScenario(({ isAgentDriven }) => isAgentDriven),
    sections: async (run) => (await import('./triggering.ts')).triggeringSections(run),
  },
];

/** Sections about criteria, attacks, repeats, faults, conversations, MCP servers and agents, for runs that have such. */
export async function* detailSections(
  run: StoredRun,
  figures: RunFigures,
  medium: Medium,
): AsyncGenerator<Section, void> {
  for (const detail of details) if (detail.isIn(run, medium)) yield* await detail.sections(run, medium, figures);
}

/** The same for a page, each of which is made by itself. */
export function pageSections(
  run: StoredRun,
  figures: RunFigures,
): readonly ((store: Store) => Promise<readonly Section[]>)[] {
  const wanted = details.filter((detail) => detail.isIn(run, 'page'));
  return wanted.map((detail) => async (store) => {
    const sections: Section[] = [];
    for await (const section of await detail.sections({ ...run, store }, 'page', figures)) sections.push(section);
    return sections;
  });
}

/** The parts of the run document (`assay.run/1`) that details have. */
export async function detailDocuments(run: StoredRun): Promise<Readonly<Record<string, unknown>>> {
  const documents: Record<string, unknown> = {};
  for (const detail of details) if (detail.isIn(run, 'json')) Object.assign(documents, await detail.document?.(run));
  return documents;
}
