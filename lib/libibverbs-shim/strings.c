// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* strings.c - words for the values of four enums.  Pure helpers for programs. */
#include "shim.h"

static const char *const node_types[] = {
	[IBV_NODE_CA]		= "channel adapter",
	[IBV_NODE_SWITCH]	= "switch",
	[IBV_NODE_ROUTER]	= "router",
	[IBV_NODE_RNIC]		= "iWARP NIC",
	[IBV_NODE_USNIC]	= "usNIC",
	[IBV_NODE_USNIC_UDP]	= "usNIC over UDP",
	[IBV_NODE_UNSPECIFIED]	= "unspecified",
};

/* Tools print the port states, and scripts compare them: the form is the usual one. */
static const char *const port_states[] = {
	[IBV_PORT_NOP]		= "no state change (NOP)",
	[IBV_PORT_DOWN]		= "down",
	[IBV_PORT_INIT]		= "init",
	[IBV_PORT_ARMED]	= "armed",
	[IBV_PORT_ACTIVE]	= "active",
	[IBV_PORT_ACTIVE_DEFER]	= "active defer",
};

static const char *const events[] = {
	[IBV_EVENT_CQ_ERR]		= "completion queue overran",
	[IBV_EVENT_QP_FATAL]		= "queue pair failed",
	[IBV_EVENT_QP_REQ_ERR]		= "invalid request on a local work queue",
	[IBV_EVENT_QP_ACCESS_ERR]	= "local access violation",
	[IBV_EVENT_COMM_EST]		= "communication established",
	[IBV_EVENT_SQ_DRAINED]		= "send queue drained",
	[IBV_EVENT_PATH_MIG]		= "connection moved to its alternate path",
	[IBV_EVENT_PATH_MIG_ERR]	= "move to the alternate path failed",
	[IBV_EVENT_DEVICE_FATAL]	= "device failed",
	[IBV_EVENT_PORT_ACTIVE]		= "port active",
	[IBV_EVENT_PORT_ERR]		= "port down",
	[IBV_EVENT_LID_CHANGE]		= "LID changed",
	[IBV_EVENT_PKEY_CHANGE]		= "P_Key table changed",
	[IBV_EVENT_SM_CHANGE]		= "subnet manager changed",
	[IBV_EVENT_SRQ_ERR]		= "shared receive queue failed",
	[IBV_EVENT_SRQ_LIMIT_REACHED]	= "shared receive queue below its limit",
	[IBV_EVENT_QP_LAST_WQE_REACHED]	= "last receive of a shared receive queue consumed",
	[IBV_EVENT_CLIENT_REREGISTER]	= "re-registration wanted",
	[IBV_EVENT_GID_CHANGE]		= "GID table changed",
	[IBV_EVENT_WQ_FATAL]		= "work queue failed",
};

static const char *const statuses[] = {
	[IBV_WC_SUCCESS]		= "success",
	[IBV_WC_LOC_LEN_ERR]		= "local length error",
	[IBV_WC_LOC_QP_OP_ERR]		= "local QP operation error",
	[IBV_WC_LOC_EEC_OP_ERR]		= "local EE context operation error",
	[IBV_WC_LOC_PROT_ERR]		= "local protection error",
	[IBV_WC_WR_FLUSH_ERR]		= "work request flushed",
	[IBV_WC_MW_BIND_ERR]		= "memory window bind error",
	[IBV_WC_BAD_RESP_ERR]		= "bad response",
	[IBV_WC_LOC_ACCESS_ERR]		= "local access error",
	[IBV_WC_REM_INV_REQ_ERR]	= "remote side: invalid request",
	[IBV_WC_REM_ACCESS_ERR]		= "remote side: access error",
	[IBV_WC_REM_OP_ERR]		= "remote side: operation error",
	[IBV_WC_RETRY_EXC_ERR]		= "transport retries used up",
	[IBV_WC_RNR_RETRY_EXC_ERR]	= "receiver-not-ready retries used up",
	[IBV_WC_LOC_RDD_VIOL_ERR]	= "local RD domain violation",
	[IBV_WC_REM_INV_RD_REQ_ERR]	= "remote side: invalid RD request",
	[IBV_WC_REM_ABORT_ERR]		= "remote side: aborted",
	[IBV_WC_INV_EECN_ERR]		= "invalid EE context number",
	[IBV_WC_INV_EEC_STATE_ERR]	= "invalid EE context state",
	[IBV_WC_FATAL_ERR]		= "fatal error",
	[IBV_WC_RESP_TIMEOUT_ERR]	= "response timed out",
	[IBV_WC_GENERAL_ERR]		= "general error",
	[IBV_WC_TM_ERR]			= "tag matching error",
	[IBV_WC_TM_RNDV_INCOMPLETE]	= "tag matching rendezvous incomplete",
};

/* Values that nobody defined get a fixed text, never NULL (G148). */
static const char *word(const char *const *words, size_t count, unsigned int value)
{
	return value < count && words[value] ? words[value] : "unknown";
}

SHIM_EXPORT const char *ibv_node_type_str(enum ibv_node_type node_type)
{
	return word(node_types, SHIM_ARRAY_SIZE(node_types), (unsigned int)node_type);
}

SHIM_EXPORT const char *ibv_port_state_str(enum ibv_port_state port_state)
{
	return word(port_states, SHIM_ARRAY_SIZE(port_states), (unsigned int)port_state);
}

SHIM_EXPORT const char *ibv_event_type_str(enum ibv_event_type event)
{
	return word(events, SHIM_ARRAY_SIZE(events), (unsigned int)event);
}

SHIM_EXPORT const char *ibv_wc_status_str(enum ibv_wc_status status)
{
	return word(statuses, SHIM_ARRAY_SIZE(statuses), (unsigned int)status);
}
