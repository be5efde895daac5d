import { Code } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import type { EvaluatorType } from '../../../../src/entry/server/api/project.ts';
import type { DocumentChange, Path } from '../../../../src/shared/document-edit/document-change.ts';
import { isRecord } from '../../../../src/shared/json.ts';
import { type FieldProblem, startsWith } from '../../forms/field-problems.ts';
import type { FormField } from '../../forms/form-field.ts';
import { ItemButtons } from '../../forms/items.tsx';
import { readForm } from '../../forms/read-form.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { WithCode } from '../../kit/code.tsx';
import { Field, NumberInput, Select, TextInput } from '../../kit/field.tsx';
import type { EvaluatorPlace, ScenarioKind } from './scenario-kind.ts';

interface EvaluatorItemProps {
  readonly item: unknown;
  readonly index: number;
  readonly count: number;
  readonly place: EvaluatorPlace;
  readonly kind: ScenarioKind;
  readonly types: readonly EvaluatorType[];
  readonly problems: readonly FieldProblem[];
  readonly onChange: (change: DocumentChange) => void;
  readonly onShow: (path: Path) => void;
  /** It was just added: the cursor goes there. */
  readonly isNew: boolean;
}

/** One evaluator: what it is, and the form of its settings. */
export function EvaluatorItem(props: EvaluatorItemProps) {
  const { item, index, place, kind, types, problems, onChange, isNew } = props;
  const path = [...place.path, index];
  const record = isRecord(item) ? item : {};
  const type = types.find((candidate) => candidate.type === record.type);
  const label = type?.label ?? String(record.type ?? 'Evaluator');
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isNew && element.current !== null) focusSettings(element.current);
  }, [isNew]);
  return (
    <li ref={element} tabIndex={-1} aria-label={label} className="rounded-md border border-line">
      <div className="flex items-start gap-2 rounded-t-md bg-raised/50 px-3 py-2">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{label}</span>
            {type !== undefined && <KindBadge kind={type.kind} />}
            <code className="font-mono text-xs text-muted">{String(record.type ?? '')}</code>
          </div>
          {type !== undefined && (
            <p className="text-xs text-muted">
              <WithCode text={type.description} />
            </p>
          )}
        </div>
        <EvaluatorButtons {...props} path={path} label={label} />
      </div>
      <ItemProblems problems={problems} path={path} />
      <div data-settings className="flex flex-col gap-4 border-t border-line p-3 empty:hidden">
        {kind === 'conversation' && type?.kind === 'assertion' && (
          <WhenSelect when={record.when} turn={record.turn} label={label} path={path} onChange={onChange} />
        )}
        <Settings
          schema={type?.configSchema}
          value={place.isOfGates ? item : record.config}
          path={place.isOfGates ? path : [...path, 'config']}
          isOfGates={place.isOfGates}
          problems={problems}
          onChange={onChange}
        />
        {!place.isOfGates && type !== undefined && (
          <IdField value={record.id} path={[...path, 'id']} problems={problems} onChange={onChange} />
        )}
      </div>
    </li>
  );
}

function focusSettings(element: HTMLElement): void {
  const first = element.querySelector<HTMLElement>('[data-settings] :is(input, textarea, [role="combobox"])');
  (first ?? element).focus({ preventScroll: true });
  element.scrollIntoView({ block: 'nearest' });
}

function EvaluatorButtons(props: EvaluatorItemProps & { path: Path; label: string }) {
  const { path, label, index, count, place, onChange, onShow } = props;
  return (
    <>
      <Button
        variant="ghost"
        size="sm"
        aria-label={`Show ${label} in the text`}
        title="Show in the text"
        onClick={() => onShow(path)}
        icon={<Code size={14} aria-hidden />}
      />
      <ItemButtons
        name={label}
        index={index}
        count={count}
        onMove={(to) => onChange({ kind: 'move', path: place.path, from: index, to })}
        onRemove={() => onChange({ kind: 'remove', path })}
      />
    </>
  );
}

const times = [
  { value: '', label: 'as usual for this assertion' },
  { value: 'every-turn', label: 'every turn', hint: 'the first breach ends the conversation' },
  { value: 'eventually', label: 'eventually', hint: 'some answer must do' },
  { value: 'final', label: 'at the end' },
];

/** When in a conversation an assertion must hold; a turn replaces the choice. */
function WhenSelect({
  when,
  turn,
  label,
  path,
  onChange,
}: {
  when: unknown;
  turn: unknown;
  label: string;
  path: Path;
  onChange: (change: DocumentChange) => void;
}) {
  const setKey = (key: string, value: string | number | null): void => {
    const place = [...path, key];
    onChange(value === null ? { kind: 'remove', path: place } : { kind: 'set', path: place, value });
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-sm font-medium">Must hold</span>
      {turn === undefined && (
        <Select
          label={`When ${label} must hold`}
          options={times}
          value={typeof when === 'string' ? when : ''}
          onChange={(chosen) => setKey('when', chosen === '' ? null : chosen)}
        />
      )}
      {when === undefined && (
        <span className="flex items-center gap-2 text-sm">
          in turn
          <NumberInput
            aria-label={`Only turn that ${label} looks at`}
            className="w-16"
            value={typeof turn === 'number' ? turn : null}
            onChange={(chosen) => setKey('turn', chosen)}
          />
        </span>
      )}
    </div>
  );
}

/** The name by which expressions mean this evaluator, where there are several of its type. */
function IdField({
  value,
  path,
  problems,
  onChange,
}: {
  value: unknown;
  path: Path;
  problems: readonly FieldProblem[];
  onChange: (change: DocumentChange) => void;
}) {
  const problem = problems.find((one) => one.path.join('.') === path.join('.'));
  return (
    <Field label="ID" hint="Its name in expressions; its type by default" error={problem?.message}>
      <TextInput
        value={typeof value === 'string' ? value : ''}
        onChange={(text) => onChange(text === '' ? { kind: 'remove', path } : { kind: 'set', path, value: text })}
      />
    </Field>
  );
}

function Settings({
  schema,
  value,
  path,
  isOfGates,
  problems,
  onChange,
}: {
  schema: EvaluatorType['configSchema'] | undefined;
  value: unknown;
  path: Path;
  isOfGates: boolean;
  problems: readonly FieldProblem[];
  onChange: (change: DocumentChange) => void;
}) {
  const field = useMemo((): FormField => {
    const form = readForm(schema ?? {}, 'Settings', false);
    return form.kind === 'group' ? { ...form, isClosed: form.isClosed && !isOfGates } : form;
  }, [schema, isOfGates]);
  if (field.kind === 'group' && field.entries.length === 0) return null;
  const formValue = field.kind === 'group' && !isRecord(value) ? {} : value;
  return <SchemaForm field={field} value={formValue} path={path} problems={problems} onChange={onChange} />;
}

/** The problems of the evaluator as a whole, such as an unknown type. */
function ItemProblems({ problems, path }: { problems: readonly FieldProblem[]; path: Path }) {
  const own = problems.filter(
    (problem) =>
      startsWith(problem.path, path) && (problem.path.length === path.length || problem.path[path.length] === 'type'),
  );
  if (own.length === 0) return null;
  return (
    <ul className="border-t border-line px-3 py-1.5 text-xs font-medium text-fail">
      {own.map(({ message, hint }) => (
        <li key={message}>
          {message} {hint}
        </li>
      ))}
    </ul>
  );
}

function KindBadge({ kind }: Pick<EvaluatorType, 'kind'>) {
  return (
    <Badge tone={kind === 'assertion' ? 'info' : 'neutral'}>{kind === 'assertion' ? 'Assertion' : 'Metric'}</Badge>
  );
}
