/** One step of a town, as its journal sees it. */
import type { NewsBody, Order, OrderBody, OrderId, OutcomeBody, SavedRecord } from '../../machines/protocol.ts';
import type { StepSeen } from '../../src/journal/chronicle.ts';
import { life, NOW } from '../state/make.ts';

export const stamp = { at: 0, wall: NOW };
export const step = (more: Partial<StepSeen>): StepSeen => ({ facts: [], records: [], orders: [], wall: NOW, ...more });
export const news = (...all: NewsBody[]): StepSeen => step({ facts: all.map((one) => ({ ...one, ...stamp })) });
export const outcomes = (re: OrderId, ...all: OutcomeBody[]): StepSeen =>
  step({ facts: all.map((one) => ({ ...one, ...stamp, re })) });
export const records = (...all: SavedRecord[]): StepSeen => step({ records: all });
export const order = (id: OrderId, body: OrderBody): Order => ({ ...body, id });
export const orders = (...all: Order[]): StepSeen => step({ orders: all });

export const target = life();
