import { useNavigate, useSearch } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { Suspense, useMemo } from 'react';
import { readDocument, syntaxOf } from '../../../../src/shared/document-edit/read-document.ts';
import { counted } from '../../../../src/shared/format.ts';
import { useRefusal } from '../../data/access.ts';
import { scenarioListQuery } from '../../data/project.ts';
import { DeleteFileButton } from '../../file-editor/delete-file-button.tsx';
import { FileWorkbench } from '../../file-editor/file-workbench.tsx';
import { type CheckedText, useEditedFile, useFileCheck } from '../../file-editor/use-edited-file.ts';
import { Tabs } from '../../kit/disclosure.tsx';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { useLoadedState } from '../../kit/use-loaded-state.ts';
import { useRead } from '../../kit/use-read.tsx';
import { StartRunDialog } from '../runs/start-run.tsx';
import { CaseLinesCard } from './cases/case-lines-card.tsx';
import { CodeTab } from './code/code-tab.tsx';
import { NewScenario } from './new-scenario.tsx';
import { PlaygroundCard } from './playground-card.tsx';
import { ScenarioForm } from './scenario-form.tsx';
import { kindOfScenario, type ScenarioKind } from './scenario-kind.ts';
import { keyOrderOf } from './scenario-schema.ts';
import { starters, starterText } from './starters.ts';
import { StatsTab } from './stats/stats-tab.tsx';

/** A scenario file as form and text, or the choice of what a new one is about. */
export function ScenarioEditorPage() {
  const search = useSearch({ from: '/scenarios/edit' });
  if (search.file === undefined) return <NewScenario />;
  const starter = starters.find(({ kind }) => kind === search.new);
  const startText = starter && starterText(starter.kind, search.scenario ?? starter.title);
  return <ScenarioEditor key={search.file} path={search.file} startText={startText} />;
}

function ScenarioEditor({ path, startText }: { path: string; startText: string | undefined }) {
  const navigate = useNavigate();
  const view = useView();
  const mayEdit = useRefusal('edit') === undefined;
  const file = useEditedFile(path, 'scenario', startText);
  const { text } = file.editing;
  const check = useFileCheck(file);
  const kind = useKind(path, text);
  const keyOrder = useMemo(() => keyOrderOf(kind), [kind]);
  const [isRunOpen, setIsRunOpen] = useLoadedState(false);
  const onSaved = (): void => {
    if (startText !== undefined) void navigate({ to: '/scenarios/edit', search: { file: path }, replace: true });
  };
  const saved = () => savedFile(file, onSaved);
  return (
    <>
      <FileWorkbench
        title={path}
        breadcrumbs={[{ label: 'Scenarios', to: '/scenarios' }, { label: path }]}
        file={file}
        check={check}
        keyOrder={keyOrder}
        summary={mayEdit && <WhatRuns check={check} />}
        onSaved={onSaved}
        tabs={<ViewTabs />}
        besideText={<PlaygroundCard file={path} kind={kind} beforeRun={saved} />}
        otherView={view === 'edit' ? undefined : <OtherView view={view} file={path} />}
        actions={
          <>
            <DeleteFileButton file={file} onDeleted={() => void navigate({ to: '/scenarios', ignoreBlocker: true })} />
            <GuardedButton needs="run" icon={<Play size={14} aria-hidden />} onClick={() => setIsRunOpen(true)}>
              Run …
            </GuardedButton>
          </>
        }
      >
        {(form) => (
          <>
            <ScenarioForm {...form} />
            {kind === 'tool' && <CaseLinesCard file={path} text={text} value={form.value} onChange={form.onChange} />}
          </>
        )}
      </FileWorkbench>
      <Suspense>
        {isRunOpen && (
          <StartRunDialog
            title="Run this file"
            fixed={{ paths: [path] }}
            onClose={() => setIsRunOpen(false)}
            beforeRun={saved}
            isUnsaved={file.isUnsaved}
          />
        )}
      </Suspense>
    </>
  );
}

/** Whether the file is saved now. */
async function savedFile(file: ReturnType<typeof useEditedFile>, onSaved: () => void): Promise<boolean> {
  if (!file.isUnsaved) return true;
  const isSaved = await file.save();
  if (isSaved) onSaved();
  return isSaved;
}

const views = [
  { key: 'edit', label: 'Settings' },
  { key: 'stats', label: 'Stats' },
  { key: 'code', label: 'Code' },
] as const;

type View = (typeof views)[number]['key'];

function useView(): View {
  const search = useSearch({ from: '/scenarios/edit' });
  return views.find(({ key }) => key === search.view)?.key ?? 'edit';
}

function ViewTabs() {
  const navigate = useNavigate();
  const search = useSearch({ from: '/scenarios/edit' });
  const show = (view: string): void =>
    void navigate({ to: '/scenarios/edit', search: { ...search, view }, replace: true });
  return <Tabs label="Views of the file" tabs={views} value={useView()} onChange={show} />;
}

/** The views beside the editor; they are about the scenarios of the file as it is saved. */
function OtherView({ view, file }: { view: View; file: string }) {
  const [data, instead] = useRead(scenarioListQuery(), 10);
  if (!data) return instead;
  const scenarios = data.items.filter((item) => item.file === file).map(({ name }) => name);
  return view === 'stats' ? <StatsTab scenarios={scenarios} /> : <CodeTab file={file} scenarios={scenarios} />;
}

function useKind(path: string, text: string): ScenarioKind {
  const syntax = syntaxOf(path);
  const read = useMemo(() => syntax && readDocument(text, syntax), [text, syntax]);
  return kindOfScenario(read?.isReadable ? read.value : null);
}

/** The trials that a run of the file would have. */
function WhatRuns({ check: { scenarios, problems, isCurrent } }: { check: CheckedText }) {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const trials = scenarios.reduce((sum, scenario) => sum + scenario.trials, 0);
  const cases = scenarios.reduce((sum, scenario) => sum + scenario.cases, 0);
  const counts = [counted(scenarios.length, 'scenario'), counted(cases, 'case'), counted(trials, 'trial')];
  const text = errors > 0 ? `${counted(errors, 'problem')}: it cannot run yet` : `Runs ${counts.join(', ')}`;
  return (
    <span role="status" className={errors > 0 ? 'font-medium text-fail' : undefined}>
      {isCurrent || scenarios.length + problems.length > 0 ? text : 'Checking …'}
    </span>
  );
}
