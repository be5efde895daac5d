import type { FieldEntry, FormField, GroupField } from '../../forms/form-field.ts';
import type { ScenarioKind } from './scenario-kind.ts';

/** A part of the form for a scenario: a title, and the keys that stand below it. */
export interface FormSection {
  readonly title: string;
  /** Keys of the file; with a dot, of a map inside of it. */
  readonly keys: readonly string[];
  /** Shown unfolded even while nothing of it is set. */
  readonly isOpen: boolean;
}

/** Stands where the evaluators of the file are shown. */
export const evaluatorsTitle = 'Evaluators';

const about: FormSection = { title: 'About', keys: ['name', 'description', 'tags', 'tier'], isOpen: true };
const evaluators: FormSection = { title: evaluatorsTitle, keys: [], isOpen: true };

const sections: Readonly<Record<ScenarioKind, readonly FormSection[]>> = {
  tool: [
    about,
    { title: 'Tool under test', keys: ['call'], isOpen: true },
    { title: 'Inputs', keys: ['input', 'cases', 'dataset'], isOpen: true },
    {
      title: 'What must hold',
      keys: ['passCriteria', 'failCriteria', 'expected', 'expectedBehavior'],
      isOpen: true,
    },
    evaluators,
    { title: 'Judge', keys: ['judge'], isOpen: false },
    { title: 'How it runs', keys: ['repeat', 'timeoutSecs'], isOpen: false },
  ],
  'cli-tool': [
    about,
    { title: 'Task', keys: ['task'], isOpen: true },
    { title: 'Tool under test', keys: ['target', 'template_folder', 'setup'], isOpen: true },
    evaluators,
    { title: 'Guidance', keys: ['guidance'], isOpen: false },
    { title: 'Agents and models', keys: ['agents', 'models', 'tool_matrix'], isOpen: false },
    { title: 'Judge', keys: ['evaluation.judge', 'evaluation.composite'], isOpen: false },
    { title: 'Scripts', keys: ['scripts'], isOpen: false },
    { title: 'How it runs', keys: ['repeat', 'run', 'cost', 'isolation', 'mcp_servers'], isOpen: false },
  ],
  conversation: [
    about,
    { title: 'Agent under test', keys: ['connector'], isOpen: true },
    {
      title: 'Conversation',
      keys: ['userMessages', 'messages', 'persona', 'instructions', 'maxMessages'],
      isOpen: true,
    },
    evaluators,
    {
      title: 'What a model judges',
      keys: ['successCriteria', 'failureCriteria', 'failureCriteriaMode', 'judge'],
      isOpen: false,
    },
    { title: 'How it runs', keys: ['repeat', 'timeoutSecs', 'models', 'dataset'], isOpen: false },
  ],
  'mcp-server': [
    { ...about, keys: ['name', 'description', 'tags'] },
    { title: 'Server', keys: ['server', 'timeout', 'concurrent'], isOpen: true },
    { title: 'Tools called directly', keys: ['toolHealthSuites'], isOpen: true },
    { title: 'Workflows', keys: ['workflows'], isOpen: true },
    evaluators,
    { title: 'Models and agents', keys: ['model', 'models', 'agents', 'wordings'], isOpen: false },
    { title: 'Judge', keys: ['llmJudge', 'judgeModel', 'passThreshold', 'judgeErrors'], isOpen: false },
    { title: 'How it runs', keys: ['repeat', 'tier'], isOpen: false },
  ],
};

/** Shown nowhere: what editors and other programs write into files. */
const unshown = ['$schema', 'id', 'projectId', 'createdAt', 'updatedAt', 'evaluators', 'gates', 'evaluation'];

/** The parts of the form for a kind of file; the last one has every key that no other has. */
export function sectionsOf(kind: ScenarioKind, form: GroupField): readonly FormSection[] {
  const own = sections[kind];
  const named = [...unshown, ...own.flatMap(({ keys }) => keys.map((key) => key.split('.')[0] ?? key))];
  const rest = form.entries.map(({ key }) => key).filter((key) => !named.includes(key));
  return rest.length === 0 ? own : [...own, { title: 'More', keys: rest, isOpen: false }];
}

/** The order in which new keys are put into a file. */
export function keyOrderOf(kind: ScenarioKind): readonly string[] {
  return sections[kind].flatMap(({ title, keys }) =>
    title === evaluatorsTitle ? ['evaluation', 'evaluators'] : keys.map((key) => key.split('.')[0] ?? key),
  );
}

/** The field for a key of the file, or of a map inside of it. */
export function fieldOf(form: FormField, key: string): FieldEntry | undefined {
  const [first = '', ...rest] = key.split('.');
  const entry = form.kind === 'group' ? form.entries.find((candidate) => candidate.key === first) : undefined;
  return entry === undefined || rest.length === 0 ? entry : fieldOf(entry.field, rest.join('.'));
}
