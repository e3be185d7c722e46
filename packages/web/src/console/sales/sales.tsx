import type { ComponentChildren, VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useCategoryNames } from '../categories/use-category-names.ts';
import type { Till } from '../till.ts';
import { nameOf, textOf } from '../changes/words.ts';
import { tellProblem } from '../connect.ts';
import { labelOf } from '../draft.ts';
import { tellTime } from '../day.ts';
import { State } from '../state.tsx';
import { isFound, petOf, type Sale } from './sale.ts';
import { SheetHead, SheetTotals } from './sheet-head.tsx';
import { useSales } from './use-sales.ts';

export interface SalesProps {
  /** Such as `2026-11-17`, in the browser's time zone. */
  day: string;
  till: Till;
  /** Takes the pet of a sale in hand, and opens its details. */
  onOpen: (petId: bigint) => void;
  /** The details of the pet in hand, if they are open. */
  details: VNode | undefined;
  /** Told beside the search. */
  children: ComponentChildren;
}

/** The sales of one day, newest first. They are read again only on request, so that no row moves under a pointer. */
export function Sales({ day, till, onOpen, details, children }: SalesProps) {
  const view = useSales(till, day);
  const [text, setText] = useState('');
  const { canChange } = till;
  const held = till.outbox.list.filter(({ state, wish }) => state === 'held' && wish !== 'remove');
  const returning = held.map(({ seen }) => seen?.id).join();
  const names = useCategoryNames();
  const shown = useMemo(
    () => view.sales.filter((sale) => isFound(sale, text, names)),
    [view.sales, text, names],
  );
  // Not drawn again with every event and note.
  const rows = useMemo(() => {
    const ids = returning.split(',');
    return shown.map((sale) => (
      <SaleRow
        key={sale.order.id.toString()}
        {...{ sale, day, canChange, onOpen }}
        isHeld={!sale.order.returnedAt && ids.includes(sale.order.petId.toString())}
      />
    ));
  }, [shown, day, canChange, returning]);
  return (
    <section class="sales" aria-label="Sales">
      <SheetHead day={day} view={view} shown={shown} />
      <div class="find">
        <div class="search-box">
          <input
            type="search"
            aria-label="Find in this day"
            placeholder="Find in this day by name, id or category"
            autocomplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        {children}
      </div>
      {view.error !== undefined && (
        <p class="notice" role="alert">
          {tellProblem(view.error)}
        </p>
      )}
      {shown.length > 0 ? (
        <div class="day">
          <SheetTotals view={view} />
          <table class="card sheet">
            <thead>
              <tr>
                <th>Time</th>
                <th>Name</th>
                <th class="number">Id</th>
                <th>Category</th>
                <th>Status</th>
                <th>Till</th>
                <td class="actions" />
              </tr>
            </thead>
            <tbody>{rows}</tbody>
          </table>
        </div>
      ) : view.isComplete ? (
        text.trim() === '' ? (
          <State title="No sales on this day">
            <p>
              A pet that becomes pending or sold appears here. <a href="#/">Go to the pets</a>
            </p>
          </State>
        ) : (
          <State title={`No sales match “${text.trim()}”`} />
        )
      ) : null}
      {details}
    </section>
  );
}

interface SaleRowProps {
  sale: Sale;
  day: string;
  canChange: boolean;
  /** True if it is about to be returned. */
  isHeld: boolean;
  onOpen: (petId: bigint) => void;
}

function SaleRow({ sale: { order, soldBy }, day, canChange, isHeld, onOpen }: SaleRowProps) {
  const names = useCategoryNames();
  const { petId, categoryId, status, createdAt, createdBy, returnedAt, returnedBy } = order;
  return (
    <tr class={isHeld ? 'sale is-struck' : 'sale'} data-pet={petId.toString()}>
      <td class="time">
        <time dateTime={createdAt.toISOString()}>{tellTime(createdAt, day)}</time>
      </td>
      <td class="name">
        <bdi>{nameOf(petOf(order))}</bdi>
      </td>
      <td class="number">
        <span class="label">Id </span>
        {petId.toString()}
      </td>
      <td class="number category">
        {categoryId !== undefined && (
          <bdi>
            {names.nameOf(categoryId) ?? (
              <>
                <span class="label">Category </span>
                {categoryId.toString()}
              </>
            )}
          </bdi>
        )}
      </td>
      <td class="status-cell">
        <span class={`status ${returnedAt ? 'returned' : status}`}>{labelOf(status)}</span>
        {isHeld && <span class="help"> returning…</span>}
        {returnedAt && (
          <span class="help">
            {' '}
            returned {tellTime(returnedAt, day)}
            {returnedBy !== undefined && `, ${returnedBy}`}
          </span>
        )}
        {soldBy && <span class="help"> sold {tellTime(soldBy.createdAt, day)}</span>}
      </td>
      <td class="by">{createdBy}</td>
      <td class="actions">
        {!returnedAt && (
          <button
            type="button"
            class="small menu-button"
            aria-label={`${canChange ? 'Change' : 'Details of'} ${textOf([petOf(order)])}`}
            onClick={() => onOpen(petId)}
          >
            •••
          </button>
        )}
      </td>
    </tr>
  );
}

/** Moves the focus to the actions for a sale of this pet. */
export function focusSale(petId: bigint | undefined): void {
  document.querySelector<HTMLElement>(`.sale[data-pet="${petId}"] button`)?.focus();
}
