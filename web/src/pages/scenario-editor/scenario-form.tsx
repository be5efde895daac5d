import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { EvaluatorType } from '../../../../src/entry/server/api/project.ts';
import { valueAt } from '../../../../src/shared/document-edit/document-change.ts';
import { connectorTypesQuery, evaluatorTypesQuery, namedPartsQuery, scenarioFormatsQuery } from '../../data/project.ts';
import type { FormView } from '../../file-editor/file-workbench.tsx';
import { AddField, useFieldsInUse } from '../../forms/fields-in-use.tsx';
import type { GroupField } from '../../forms/form-field.ts';
import { readForm } from '../../forms/read-form.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { emptyValue } from '../../forms/union-branch.ts';
import { AddMenu } from '../../kit/add-menu.tsx';
import { Card, ErrorView, Skeleton } from '../../kit/page.tsx';
import { EvaluatorItem } from './evaluator-item.tsx';
import { type EvaluatorPlace, evaluatorPlaces, isUsable, kindOfScenario, type ScenarioKind } from './scenario-kind.ts';
import { evaluatorsTitle, fieldOf, formSchema, sectionsOf } from './scenario-schema.ts';

/** The form for a scenario file of any kind: the settings in use, and one list of those that can be added. */
export function ScenarioForm(view: FormView) {
  const kind = kindOfScenario(view.value);
  const { form, failure, retry } = useScenarioForm(kind);
  if (failure) return <ErrorView error={failure} onRetry={retry} />;
  if (form === undefined) return <Skeleton lines={14} />;
  return <Sections key={kind} kind={kind} form={form} {...view} />;
}

function Sections({ kind, form, ...view }: { kind: ScenarioKind; form: GroupField } & FormView) {
  const { value, onChange } = view;
  const sections = sectionsOf(kind, form);
  const entries = sections.flatMap(({ keys }) =>
    keys.flatMap((key) => {
      const field = fieldOf(form, key)?.field;
      return field === undefined ? [] : [{ key, field }];
    }),
  );
  const { fields, rest, add } = useFieldsInUse(entries, {
    read: (key) => valueAt(value, key.split('.')),
    set: (key, set) => onChange({ kind: 'set', path: key.split('.'), value: set }),
  });
  const titleOf = (key: string): string => sections.find(({ keys }) => keys.includes(key))?.title ?? '';
  return (
    <>
      <AddField label="Add setting" rest={rest} groupOf={titleOf} onAdd={add} />
      {sections.map(({ title, keys }) =>
        title === evaluatorsTitle ? (
          <EvaluatorsCard key={title} kind={kind} {...view} />
        ) : (
          <SectionCard
            key={title}
            title={title}
            keys={fields.map(({ key }) => key).filter((key) => keys.includes(key))}
            form={form}
            {...view}
          />
        ),
      )}
    </>
  );
}

function useScenarioForm(kind: ScenarioKind) {
  const formats = useQuery(scenarioFormatsQuery());
  const connectors = useQuery(namedPartsQuery('connectors'));
  const personas = useQuery(namedPartsQuery('personas'));
  const types = useQuery(connectorTypesQuery());
  const schema = formats.data?.items.find((item) => item.kind === kind)?.schema;
  const form = useMemo((): GroupField | undefined => {
    if (schema === undefined) return undefined;
    const available = { connectors: connectors.data, personas: personas.data, connectorTypes: types.data ?? [] };
    const field = readForm(formSchema(kind, schema, available));
    return field.kind === 'group' ? { ...field, isClosed: false } : undefined;
  }, [kind, schema, connectors.data, personas.data, types.data]);
  return { form, failure: formats.error, retry: () => void formats.refetch() };
}

function SectionCard({
  title,
  keys,
  form,
  ...view
}: { title: string; keys: readonly string[]; form: GroupField } & FormView) {
  if (keys.length === 0) return null;
  return (
    <Card title={title}>
      <div className="flex flex-col gap-4">
        {keys.map((key) => (
          <KeyField key={key} path={key.split('.')} title={title} form={form} {...view} />
        ))}
      </div>
    </Card>
  );
}

function KeyField({
  path,
  title,
  form,
  value,
  problems,
  onChange,
}: { path: readonly string[]; title: string; form: GroupField } & FormView) {
  const key = path.join('.');
  const field = useMemo((): GroupField | undefined => {
    const entry = fieldOf(form, key);
    return entry && { ...form, entries: [entry] };
  }, [form, key]);
  const parentPath = useMemo(() => key.split('.').slice(0, -1), [key]);
  if (field === undefined) return null;
  const parent = valueAt(value, parentPath);
  const isNamed = field.entries[0]?.field.label === title;
  const props = { field, value: parent ?? {}, path: parentPath, problems, onChange };
  return <SchemaForm {...props} isBare={isNamed} />;
}

/** The evaluators of a file, each with the form of its settings, and the menu that adds one. */
function EvaluatorsCard({ kind, ...view }: { kind: ScenarioKind } & FormView) {
  const { data: types, error, refetch } = useQuery(evaluatorTypesQuery());
  if (error) return <ErrorView error={error} onRetry={() => void refetch()} />;
  const places = evaluatorPlaces(kind, view.value);
  if (places.length === 0) return null;
  return places.map((place) => (
    <EvaluatorList key={place.path.join('.')} place={place} kind={kind} types={types ?? []} {...view} />
  ));
}

function EvaluatorList({
  place,
  kind,
  types,
  value,
  problems,
  onChange,
  onShow,
}: { place: EvaluatorPlace; kind: ScenarioKind; types: readonly EvaluatorType[] } & FormView) {
  const [added, setAdded] = useState<number | null>(null);
  const list = valueAt(value, place.path);
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const usable = types.filter((type) => isUsable(type, kind, place));
  const add = (name: string): void => {
    const type = usable.find((each) => each.type === name);
    if (type === undefined) return;
    const settings = emptyValue(readForm(type.configSchema));
    const item = place.isOfGates ? { type: type.type, ...asSettings(settings) } : { type: type.type, config: settings };
    onChange({ kind: 'insert', path: place.path, index: items.length, value: item });
    setAdded(items.length);
  };
  return (
    <Card title={place.title} actions={<AddEvaluator isOfGates={place.isOfGates} types={usable} onAdd={add} />}>
      {items.length === 0 ? (
        <p className="text-muted">
          {place.isOfGates
            ? 'No gates yet. A gate looks at the work that is left behind, and fails the trial when it does not hold.'
            : 'No evaluators yet. Assertions decide whether a trial passes; metrics are only tracked.'}
        </p>
      ) : (
        <ol className="flex flex-col gap-3">
          {items.map((item, index) => (
            <EvaluatorItem
              // An item has no name, so its index is its key.
              key={`${place.title} ${index + 1}`}
              item={item}
              index={index}
              count={items.length}
              place={place}
              kind={kind}
              types={types}
              problems={problems}
              onChange={onChange}
              onShow={onShow}
              isNew={added === index}
            />
          ))}
        </ol>
      )}
    </Card>
  );
}

const evaluatorGroups = [
  { kind: 'assertion', title: 'Assertions (can cause failure)' },
  { kind: 'metric', title: 'Metrics (tracked only)' },
] as const;

function AddEvaluator({
  isOfGates,
  types,
  onAdd,
}: {
  isOfGates: boolean;
  types: readonly EvaluatorType[];
  onAdd: (type: string) => void;
}) {
  const choices = evaluatorGroups.flatMap(({ kind, title }) =>
    types
      .filter((type) => type.kind === kind)
      .map(({ type, label, description }) => ({ key: type, label, code: type, hint: description, group: title })),
  );
  return <AddMenu label={isOfGates ? 'Add gate' : 'Add evaluator'} choices={choices} onAdd={onAdd} />;
}

function asSettings(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
