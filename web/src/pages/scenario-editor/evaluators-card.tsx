import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { type KeyboardEvent, type Ref, useRef, useState } from 'react';
import type { EvaluatorType } from '../../../../src/entry/server/api/project.ts';
import { valueAt } from '../../../../src/shared/document-edit/document-change.ts';
import { evaluatorTypesQuery } from '../../data/project.ts';
import type { FormView } from '../../file-editor/file-workbench.tsx';
import { readForm } from '../../forms/read-form.ts';
import { emptyValue } from '../../forms/union-branch.ts';
import { buttonLook } from '../../kit/button.tsx';
import { TextInput } from '../../kit/field.tsx';
import { Card, ErrorView } from '../../kit/page.tsx';
import { popupLook } from '../../kit/popup-look.ts';
import { EvaluatorItem } from './evaluator-item.tsx';
import { type EvaluatorPlace, evaluatorPlaces, isUsable, type ScenarioKind } from './scenario-kind.ts';

const groups = [
  { kind: 'assertion', title: 'Assertions (can cause failure)' },
  { kind: 'metric', title: 'Metrics (tracked only)' },
] as const;

/** The menu of evaluators: what can fail a trial and what is only tracked, with a line about each. */
function AddEvaluator({
  types,
  title,
  onAdd,
  ref,
}: {
  types: readonly EvaluatorType[];
  title: string;
  onAdd: (type: EvaluatorType) => void;
  ref?: Ref<HTMLButtonElement>;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const found = types.filter((type) => isFound(type, text));
  const add = (type: EvaluatorType): void => {
    setIsOpen(false);
    onAdd(type);
  };
  const onKeyDown = (event: KeyboardEvent): void => moveFocus(event, list.current);
  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(open) => {
        setIsOpen(open);
        setText('');
      }}
    >
      <Popover.Trigger ref={ref} className={buttonLook('secondary', 'sm')}>
        <Plus size={13} aria-hidden />
        {title === 'Gates' ? 'Add gate' : 'Add evaluator'}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-50">
          <Popover.Popup
            aria-label={title === 'Gates' ? 'Add gate' : 'Add evaluator'}
            onKeyDown={onKeyDown}
            // The added item takes the focus, which would return to the button otherwise.
            finalFocus={false}
            className={`${popupLook} flex max-h-[min(32rem,var(--available-height))] w-[min(26rem,calc(100vw-2rem))] flex-col`}
          >
            <TextInput
              aria-label="Filter evaluators"
              placeholder="Filter …"
              className="shrink-0"
              value={text}
              onChange={setText}
              onKeyDown={(event) => {
                const [first] = found;
                if (event.key === 'Enter' && first !== undefined && text !== '') add(first);
              }}
            />
            <div ref={list} className="mt-1 min-h-0 overflow-y-auto">
              {groups.map((group) => (
                <EvaluatorGroup
                  key={group.kind}
                  title={group.title}
                  types={found.filter(({ kind }) => kind === group.kind)}
                  onAdd={add}
                />
              ))}
              {found.length === 0 && <p className="p-2 text-sm text-muted">Nothing is called that.</p>}
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function EvaluatorGroup({
  title,
  types,
  onAdd,
}: {
  title: string;
  types: readonly EvaluatorType[];
  onAdd: (type: EvaluatorType) => void;
}) {
  if (types.length === 0) return null;
  return (
    <section aria-label={title} className="not-first:mt-1 not-first:border-t not-first:border-line not-first:pt-1">
      <h3 className="px-2 py-1 text-xs font-medium text-muted">{title}</h3>
      <ul>
        {types.map((type) => (
          <li key={type.type}>
            <button
              type="button"
              data-choice
              onClick={() => onAdd(type)}
              className="flex w-full flex-col rounded px-2 py-1.5 text-left text-sm outline-hidden hover:bg-raised focus-visible:bg-raised focus-visible:outline-2 focus-visible:-outline-offset-2"
            >
              <span>
                {type.label} <code className="font-mono text-xs text-muted">{type.type}</code>
              </span>
              <span className="text-xs text-muted">{type.description}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function isFound({ type, label, description }: EvaluatorType, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  const all = `${type} ${label} ${description}`.toLowerCase();
  return words.every((word) => all.includes(word));
}

function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const choices = [...(list?.querySelectorAll<HTMLElement>('[data-choice]') ?? [])];
  const current = choices.indexOf(document.activeElement as HTMLElement);
  const next = choices[current + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

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
