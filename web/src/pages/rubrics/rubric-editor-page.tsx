import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Scale } from 'lucide-react';
import { useMemo, useState } from 'react';
import { valueAt } from '../../../../src/shared/document-edit/document-change.ts';
import { isRecord } from '../../../../src/shared/json.ts';
import { rubricListQuery } from '../../data/project.ts';
import { DeleteFileButton } from '../../file-editor/delete-file-button.tsx';
import { FileWorkbench, type FormView } from '../../file-editor/file-workbench.tsx';
import { useEditedFile, useFileCheck } from '../../file-editor/use-edited-file.ts';
import type { FormField } from '../../forms/form-field.ts';
import { readForm } from '../../forms/read-form.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Card, Page, Skeleton } from '../../kit/page.tsx';
import { WeightBar } from './weight-bar.tsx';
import { isWhole, totalWeight, wholeWeights } from './weights.ts';

/** Asks for the file of a new rubric. */
function NewRubric() {
  const navigate = useNavigate();
  const [file, setFile] = useState('rubrics/quality.yaml');
  const isNamed = /^[^./\\][^\\]*\.(?:ya?ml|jsonc?)$/.test(file);
  return (
    <Page title="New rubric" breadcrumbs={[{ label: 'Rubrics', to: '/rubrics' }, { label: 'New' }]}>
      <form
        className="flex max-w-xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isNamed) void navigate({ to: '/rubrics/edit', search: { file, new: '1' } });
        }}
      >
        <Card>
          <Field
            label="File"
            hint="In the project; scenarios name it relative to themselves"
            error={isNamed ? undefined : 'The name must lie in the project and end in .yaml or .json'}
          >
            <TextInput value={file} onChange={setFile} className="font-mono" />
          </Field>
        </Card>
        <div>
          <Button type="submit" variant="primary" disabled={!isNamed}>
            Open in the editor
          </Button>
        </div>
      </form>
    </Page>
  );
}

/** The criteria, which have their own card, and the other keys of a rubric. */
function useRubricForms(): { criteria: FormField; others: FormField } | undefined {
  const { data } = useQuery(rubricListQuery());
  const schema = data?.schema;
  return useMemo(() => {
    if (schema === undefined || !isRecord(schema.properties)) return undefined;
    const { criteria, output, ...others } = schema.properties;
    return {
      criteria: readForm({ ...schema, properties: { criteria } }),
      others: readForm({ ...schema, properties: { ...others, output } }),
    };
  }, [schema]);
}

/** The form for a rubric: criteria with weights that add up. */
function RubricForm({ value, problems, onChange }: FormView) {
  const forms = useRubricForms();
  const criteria = valueAt(value, ['criteria']);
  const items: readonly unknown[] = Array.isArray(criteria) ? criteria : [];
  const weights = items.map((item) => (isRecord(item) ? item.weight : undefined));
  const addUp = (): void => {
    const changes = wholeWeights(weights).map((value, index) => ({
      kind: 'set' as const,
      path: ['criteria', index, 'weight'],
      value,
    }));
    onChange(...changes);
  };
  const rubric = isRecord(value) ? value : {};
  if (forms === undefined) return <Skeleton lines={8} />;
  return (
    <>
      <Card
        title="Criteria"
        actions={
          <>
            <span role="status">
              <Badge tone={isWhole(weights) ? 'good' : 'bad'}>weights add up to {totalWeight(weights)}</Badge>
            </span>
            <Button
              size="sm"
              icon={<Scale size={13} aria-hidden />}
              disabled={items.length === 0 || totalWeight(weights) === 1}
              onClick={addUp}
            >
              Normalize
            </Button>
          </>
        }
      >
        <WeightBar criteria={items} />
        <SchemaForm field={forms.criteria} value={rubric} problems={problems} onChange={onChange} isBare />
      </Card>
      <Card title="For the judge">
        <SchemaForm field={forms.others} value={rubric} problems={problems} onChange={onChange} />
      </Card>
    </>
  );
}

/** A rubric file as form and text, or where a new one is to lie. */
export function RubricEditorPage() {
  const { file, new: isNew } = useSearch({ from: '/rubrics/edit' });
  if (file === undefined) return <NewRubric />;
  return <RubricEditor key={file} path={file} startText={isNew === undefined ? undefined : firstText} />;
}

const firstText = `# Weights add up to 1. A scenario names this file in its judge section: rubric: <this file>
criteria:
  - id: task_completion
    weight: 0.7
    description: Does everything the task requires
  - id: efficiency
    weight: 0.3
    description: No needless steps and no dead ends
`;
const keyOrder = ['criteria', 'instructions', 'references'];

function RubricEditor({ path, startText }: { path: string; startText: string | undefined }) {
  const navigate = useNavigate();
  const file = useEditedFile(path, 'rubric', startText);
  const check = useFileCheck(file);
  return (
    <FileWorkbench
      title={path}
      breadcrumbs={[{ label: 'Rubrics', to: '/rubrics' }, { label: path }]}
      file={file}
      check={check}
      keyOrder={keyOrder}
      actions={
        <DeleteFileButton file={file} onDeleted={() => void navigate({ to: '/rubrics', ignoreBlocker: true })} />
      }
      onSaved={() => {
        if (startText !== undefined) void navigate({ to: '/rubrics/edit', search: { file: path }, replace: true });
      }}
    >
      {(form) => <RubricForm {...form} />}
    </FileWorkbench>
  );
}
