import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { EvaluatorType } from '../../../../src/entry/server/api/project.ts';
import { valueAt } from '../../../../src/shared/document-edit/document-change.ts';
import { evaluatorTypesQuery } from '../../data/project.ts';
import type { FormView } from '../../file-editor/file-workbench.tsx';
import { readForm } from '../../forms/read-form.ts';
import { emptyValue } from '../../forms/union-branch.ts';
import { Card, ErrorView } from '../../kit/page.tsx';
import { AddEvaluator } from './add-evaluator.tsx';
import { EvaluatorItem } from './evaluator-item.tsx';
import { type EvaluatorPlace, evaluatorPlaces, isUsable, type ScenarioKind } from './scenario-kind.ts';

/** The evaluators of a file, each with the form of its settings, and the menu that adds one. */
export function EvaluatorsCard({ kind, ...view }: { kind: ScenarioKind } & FormView) {
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
  const addButton = useRef<HTMLButtonElement>(null);
  const list = valueAt(value, place.path);
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const usable = types.filter((type) => isUsable(type, kind, place));
  const add = (type: EvaluatorType): void => {
    const settings = emptyValue(readForm(type.configSchema));
    const item = place.isOfGates ? { type: type.type, ...asSettings(settings) } : { type: type.type, config: settings };
    onChange({ kind: 'insert', path: place.path, index: items.length, value: item });
    setAdded(items.length);
  };
  return (
    <Card title={place.title} actions={<AddEvaluator ref={addButton} types={usable} title={place.title} onAdd={add} />}>
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

function asSettings(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
