import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { scenarioListQuery } from '../../data/project.ts';
import { Button } from '../../kit/button.tsx';
import { classes } from '../../kit/classes.ts';
import { Field, TextInput } from '../../kit/field.tsx';
import { Card, Page } from '../../kit/page.tsx';
import type { ScenarioKind } from './scenario-kind.ts';
import { fileNameOf, starters } from './starters.ts';

/** Asks what a new scenario is about; the editor opens with something that runs. */
export function NewScenario() {
  const navigate = useNavigate();
  const { data } = useQuery(scenarioListQuery());
  const [kind, setKind] = useState<ScenarioKind>('tool');
  const [name, setName] = useState('');
  const [typedFile, setTypedFile] = useState<string | null>(null);
  const files = [...(data?.items ?? []), ...(data?.broken ?? [])].map(({ file }) => file);
  const file = typedFile ?? `${folderOf(files)}${fileNameOf(name)}`;
  const problem = fileProblem(file, files);
  const isReady = name.trim() !== '' && problem === undefined;
  const create = (): void => {
    if (isReady) void navigate({ to: '/scenarios/edit', search: { file, new: kind, scenario: name.trim() } });
  };
  return (
    <Page title="New scenario" breadcrumbs={[{ label: 'Scenarios', to: '/scenarios' }, { label: 'New' }]}>
      <form
        className="flex max-w-3xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create();
        }}
      >
        <Card title="What is under test?">
          <KindChoice value={kind} onChange={setKind} />
        </Card>
        <Card isColumn title="What is it called?">
          <Field label="Name" hint="Results are looked up by it" isRequired>
            <TextInput value={name} onChange={setName} autoFocus />
          </Field>
          <Field label="File" hint="In the project; ends in .yaml or .json" error={name === '' ? undefined : problem}>
            <TextInput value={file} onChange={setTypedFile} className="font-mono" />
          </Field>
        </Card>
        <div>
          <Button type="submit" variant="primary" disabled={!isReady}>
            Open in the editor
          </Button>
        </div>
      </form>
    </Page>
  );
}

function KindChoice({ value, onChange }: { value: ScenarioKind; onChange: (kind: ScenarioKind) => void }) {
  const name = useId();
  return (
    <fieldset className="grid gap-2 sm:grid-cols-2">
      <legend className="sr-only">Kind of scenario</legend>
      {starters.map(({ kind, title, summary }) => (
        <label
          key={kind}
          className={classes(
            'flex cursor-pointer items-start gap-2 rounded-md border p-3 has-focus-visible:outline-2 has-focus-visible:outline-accent',
            kind === value ? 'border-accent bg-accent-ground' : 'border-line hover:bg-raised',
          )}
        >
          <input
            type="radio"
            name={name}
            value={kind}
            checked={kind === value}
            onChange={() => onChange(kind)}
            className="mt-1 accent-(--color-accent)"
          />
          <span>
            <span className="block font-medium">{title}</span>
            <span className="block text-xs text-muted">{summary}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function folderOf(files: readonly string[]): string {
  const [first] = files;
  if (first === undefined) return 'scenarios/';
  return first.includes('/') ? first.slice(0, first.lastIndexOf('/') + 1) : '';
}

function fileProblem(file: string, files: readonly string[]): string | undefined {
  if (!/\.(?:ya?ml|jsonc?)$/.test(file)) return 'The name must end in .yaml or .json';
  if (/(?:^|\/)\.|^\/|\\|\/\//.test(file)) return 'This must be a file inside the project';
  return files.includes(file) ? 'A scenario file with this name already exists' : undefined;
}
