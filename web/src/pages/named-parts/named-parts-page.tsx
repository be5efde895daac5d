import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRefusal } from '../../data/access.ts';
import { namedPartsQuery } from '../../data/project.ts';
import { LinkButton } from '../../kit/button.tsx';
import { classes } from '../../kit/classes.ts';
import { Card, EmptyState, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/use-read.tsx';
import { type NamedPart, PartEditor, type PartKind } from './part-editor.tsx';

/** The differences between personas and connectors. */
interface NamedPartsPageProps extends PartKind {
  readonly title: string;
  readonly subtitle: string;
  readonly icon: ReactNode;
  readonly about: ReactNode;
  readonly search: { readonly name?: string | undefined; readonly new?: string | undefined };
  readonly summaryOf: (part: NamedPart) => string;
}

/** Parts of the config that have names: the list, and the form of the one that is chosen. */
export function NamedPartsPage(props: NamedPartsPageProps) {
  const { topic, title, subtitle, noun, search } = props;
  const [parts, instead] = useRead(namedPartsQuery(topic));
  const refusal = useRefusal('edit');
  const data = parts && (refusal === undefined ? parts : { ...parts, isEditable: false, whyNot: refusal });
  const address = topic === 'personas' ? '/personas' : '/connectors';
  const isAdding = search.new !== undefined;
  const first = search.name === undefined ? data?.items[0] : undefined;
  const chosen = isAdding ? undefined : (data?.items.find(({ name }) => name === search.name) ?? first);
  const add = data?.isEditable !== false && (
    <LinkButton variant="primary" icon={<Plus size={14} aria-hidden />} to={address} search={{ new: '1' }}>
      New {noun}
    </LinkButton>
  );
  return (
    <Page title={title} subtitle={subtitle} actions={add}>
      {!data ? (
        instead
      ) : (
        <>
          {data.whyNot !== null && (
            <p role="status" className="rounded-lg border border-error/40 bg-error-ground px-4 py-2">
              {data.file === null ? 'They' : `They stand in ${data.file} and`} can only be read here: {data.whyNot}.
            </p>
          )}
          {data.items.length === 0 && !isAdding ? (
            <Card>
              <EmptyState icon={props.icon} title={`No ${topic} yet`} action={add}>
                {props.about}
              </EmptyState>
            </Card>
          ) : (
            <div className="grid items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
              <PartList {...props} items={data.items} address={address} chosen={chosen?.name} />
              {isAdding || chosen !== undefined ? (
                <PartEditor
                  key={`${chosen?.name ?? ''} ${isAdding}`}
                  {...props}
                  parts={data}
                  part={chosen}
                  address={address}
                />
              ) : (
                <Card>
                  <p className="text-muted">{`There is no ${noun} named "${search.name}".`}</p>
                </Card>
              )}
            </div>
          )}
        </>
      )}
    </Page>
  );
}

function PartList({
  title,
  items,
  address,
  chosen,
  summaryOf,
  pictureOf,
}: NamedPartsPageProps & {
  items: readonly NamedPart[];
  address: '/personas' | '/connectors';
  chosen: string | undefined;
}) {
  return (
    <nav aria-label={title} className="overflow-hidden rounded-lg border border-line bg-surface">
      <ul className="divide-y divide-line">
        {items.map((part) => (
          <li key={part.name}>
            <Link
              to={address}
              search={{ name: part.name }}
              data-row-link
              aria-current={part.name === chosen ? 'page' : undefined}
              className={classes(
                'flex items-center gap-3 px-3 py-2 -outline-offset-2 hover:bg-raised',
                part.name === chosen && 'bg-accent-ground',
              )}
            >
              {pictureOf?.(part, 32)}
              <span className="min-w-0">
                <span className="block font-medium">{part.name}</span>
                <span className="block truncate text-xs text-muted">{summaryOf(part)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
