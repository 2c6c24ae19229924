/** Configuration keys whose decision only a real program shows; test/config holds the walk over all keys. */
import { live } from '../config/probes/live.ts';
import { prove } from '../config/probes/probe.ts';

prove(live);
